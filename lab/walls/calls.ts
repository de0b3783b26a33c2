import type { Wall } from './wall.ts'
import { swap, wallsOf } from './wall.ts'

const HELD = ['packages/server/src/http/held-calls.test.ts']

/** What calls that wait, and callers from browsers, may do. */
export const CALLS: readonly Wall[] = [
  ...wallsOf(HELD, {
    'calls that one account holds without end': 'never',
    'calls that a process holds without end': 'never',
  }),
  ...wallsOf(['packages/contract/src/endpoints/outputs.test.ts'], {
    'a request that fetches any number of files': 'always',
  }),
  ...wallsOf(['packages/server/src/worker/made-files.test.ts'], {
    'another number of files than outputs': 'never',
  }),
  ...wallsOf(['packages/server/test/journeys/cors.test.ts'], {
    'pages of any origin': swap([' || !_(_)', '']),
  }),
  ...wallsOf(['packages/server/test/journeys/deleted-files.test.ts'], {
    'a deletion of another account’s files': swap(['account_id = ${accountId}', '${accountId}::bigint > 0']),
    'a link to files that were deleted before their time': swap([' || !isTimeOf(_, _)', '']),
  }),
  ...wallsOf(['packages/server/test/journeys/mcp-command.test.ts'], {
    'an agent that reads outside its folders': 'never',
    'an agent that writes outside its folders': 'never',
  }),
  ...wallsOf(['packages/server/test/journeys/mcp.test.ts'], {
    'an agent without a key': 'never',
    'a foreign page’s call of an agent’s door': 'never',
  }),
  ...wallsOf(['packages/server/test/journeys/filters.test.ts'], {
    'another account’s requests in a filtered list': swap([
      'r.account_id = ${page.accountId}',
      '${page.accountId}::bigint > 0',
    ]),
  }),
  ...wallsOf(['packages/server/src/db/filters/filter-requests.test.ts'], {
    'another account’s requests of a kind': swap(['r.account_id = ${page.accountId}', '${page.accountId}::bigint > 0']),
    'another account’s requests with metadata': swap([
      'm.account_id = ${page.accountId} and m.pair',
      '${page.accountId}::bigint > 0 and m.pair',
    ]),
    'another account’s requests of a pair': swap([
      'lead.account_id = ${page.accountId} and lead.pair',
      '${page.accountId}::bigint > 0 and lead.pair',
    ]),
  }),
  ...wallsOf(['packages/server/src/requests/events/list-events.test.ts'], {
    'another account’s event as a cursor': swap([' and account_id = ${accountId}', ' and ${accountId}::bigint > 0']),
    'another account’s events': swap(['e.account_id = ${accountId}', '${accountId}::bigint > 0']),
  }),
  ...wallsOf(['packages/server/src/http/routes/events/follow-request.test.ts'], {
    'a client that reads nothing of its stream': swap(['await promise', 'void promise']),
  }),
]
