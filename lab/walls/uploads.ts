import type { Wall } from './wall.ts'
import { swap, wallsOf } from './wall.ts'

const UPLOADS = ['packages/server/test/journeys/uploads.test.ts']
const RESUMABLE = ['packages/server/test/journeys/resumable-uploads.test.ts']
const STALLED = ['packages/server/test/journeys/stalled-uploads.test.ts']
const STAMPS = ['packages/server/test/journeys/stamps.test.ts']
const STAMP_LINE = ['packages/server/src/uploads/stamps/line.test.ts']
const OWN = ['packages/server/test/journeys/own-results.test.ts']

/** Files of clients: how much, how slowly, whose, and what keeps them. */
export const UPLOADED: readonly Wall[] = [
  ...wallsOf(['packages/server/src/uploads/desk.test.ts'], {
    'the file of a part that was added after all': swap([' and size is null`', '`']),
  }),
  ...wallsOf(['packages/server/src/uploads/desk.test.ts'], {
    'the room of an upload that is still received': swap([
      '\n        and not exists (select from upload_parts where upload_id = ${id} and ${isReceiving(sql)})',
      '',
    ]),
    'a body for an upload that was deleted': swap([" and status = 'waiting' for share", ' for share']),
  }),
  ...wallsOf(['packages/server/test/journeys/mcp.test.ts'], {
    'an agent with an invalid key': 'never',
    'a batch of any size': 'never',
    'a body of any number of values': 'never',
    'messages that are not counted': 'gone',
    'a file that an agent sends to a stranger': swap(['!isAllowed(url, allowed)', 'false']),
  }),
  ...wallsOf(['packages/server/test/journeys/mcp-command.test.ts'], {
    'an agent that reads dot files': 'never',
    'an agent that writes dot files': 'never',
    'a file of this machine that an agent sends to a stranger': swap([
      'checkTargets(input, this.#allowed, ALLOWED_VARIABLE)',
      '{ faults: [] as string[] }',
    ]),
  }),
  ...wallsOf(['packages/server/test/journeys/deleted-uploads.test.ts'], {
    'an upload of tiny chunks': 'never',
    'short chunks beyond an account’s room': 'never',
    'a body of an upload that was deleted': swap([
      '_ = () => void body.destroy(options.signal?.reason as Error)',
      '_ = () => {}',
    ]),
    'calls to signed upload URLs without end': swap([
      'pace.enter(`${call.upload.accountId} ${call.upload.livemode}`)',
      '',
    ]),
  }),
  ...wallsOf(UPLOADS, {
    'uploads beyond an account’s room': swap(['where r.bytes + ${taken}::bigint <= ${roomBytes}::bigint\n', '\n']),
    'another account’s upload': swap([' and u.account_id = ${accountId} and u.livemode = ${livemode}', '']),
    'another account’s upload in a request': swap([
      ' and u.account_id = ${accountId} and u.livemode = ${livemode}',
      '',
    ]),
    'an upload that is deleted while a request begins': swap(['order by id for share', 'order by id']),
    'an upload that an open request uses': swap(['not ${isInUse(tx)}', 'true']),
    'an upload that is swept under an open request': swap(['not ${isInUse(tx)}', 'true']),
    'bytes of an upload over its cap': 'never',
    'an upload that announces more than its cap': 'never',
    'a compressed upload': 'never',
    'a stored file over the cap': 'never',
  }),
  ...wallsOf(RESUMABLE, {
    'two parts in one place': swap(['received = ${start}::bigint and ', '']),
    'a part that lost its place': 'never',
    'a signed URL of a suspended account': 'never',
    'an upload URL that was not signed': 'never',
    'pages of another origin': 'never',
    'a piece that arrived damaged': 'never',
  }),
  ...wallsOf(STALLED, {
    'an upload that stalls': swap(["new BrokenUpload('it stopped or came too slowly')", 'undefined']),
    'bodies of an account at once': swap(['< ${atOnce}::integer', '>= 0']),
    'bodies of a process at once': swap(['_ >= UPLOADS_AT_ONCE.process', 'false']),
  }),
  ...wallsOf(STAMPS, {
    'text as markup': swap([".replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')", '']),
    'a character without a font': swap(['throw undrawable(_)', 'continue']),
    'a stamp of any size': 'always',
    'controls in a text': swap(['!UNFIT.test(value)', 'true']),
    'a stamp of another medium': 'always',
  }),
  ...wallsOf(STAMP_LINE, {
    'stamps of an account at once': swap(['< ${atOnce}::integer', '>= 0']),
    'all places for one account’s stamps': swap(['and drawing.count < ${perAccount}::integer', '']),
    'a stamp that nobody waits for': swap([
      ' and attempt = ${attempt} and outcome is null and wanted_until > now()',
      '',
    ]),
  }),
  ...wallsOf(['packages/server/src/worker/stamps/text-watermark-loop.test.ts'], {
    'a stamp that takes every worker down': 'never',
  }),
  ...wallsOf(['packages/engines/src/image/stamp/fonts.test.ts'], {
    'fonts of the machine': swap(["FONTCONFIG_FILE: join(folder, 'fonts.conf'),", '']),
  }),
  ...wallsOf(OWN, {
    'a link of another host': 'never',
    'a result as a source without its link': swap([
      "verifyResult(keys, { id, file, expires, signature }, now) === 'valid'",
      'true',
    ]),
    'another account’s result as a source': swap(['row?.accountId !== accountId', 'row === undefined']),
  }),
]
