import type { Wall } from './wall.ts'
import { at, inFile, swap, wallsOf } from './wall.ts'

const LINK = ['packages/server/src/store/link.test.ts']
const DISK = ['packages/server/src/store/disk.test.ts']
const RESULT = ['packages/server/src/store/result-file.test.ts']
const LINKS = ['packages/server/test/journeys/links.test.ts']
const LOG = ['packages/server/src/telemetry/log.test.ts']
const SEAL = ['packages/server/src/accounts/seal.test.ts']
const REQUESTS = ['packages/server/test/journeys/requests.test.ts']
const KEYS = ['packages/server/test/journeys/keys.test.ts']

/** Links, secrets, logs, and what one account may see of another. */
export const INSIDE: readonly Wall[] = [
  ...wallsOf(LINK, {
    'a forged signature': 'gone',
    'a link of one file of a result on another': swap(['fieldsOf(link)', '[link.id]']),
    'a link after its time': swap(["unixSeconds(now) >= Number(expires) ? 'expired' : ", '']),
    'a signature guessed byte by byte': swap(['timingSafeEqual(given, expected', 'given.equals(expected']),
    'a signature guessed by which key it fails at': swap([
      'keys\n    .map((key) => {',
      'keys.map((key, index) => {\n      if (index > 0) return false',
    ]),
    'a signature of one kind of link on the other': swap(['${label} 1', '1']),
    'a signature of one file on another': swap(['link.key, link.name, String(link.sha256)', '']),
  }),
  ...wallsOf(DISK, {
    'a key that is a path': 'never',
    'a link in the store': swap(['O_RDONLY | constants.O_NOFOLLOW', 'O_RDONLY']),
    'a file that takes the place of a result': 'never',
  }),
  ...wallsOf(RESULT, {
    'a link in place of a result that is stored': swap([' | constants.O_NOFOLLOW', '']),
    'a pipe in place of a result that is stored': swap(['isFile() && _', 'nlink']),
    'a second name of a file in place of a result that is stored': at(
      'a pipe in place of a result that is stored',
      swap([' && _ === 1', '']),
    ),
  }),
  ...wallsOf(LINKS, {
    'a result without its link': 'gone',
    'a file without its signature': 'gone',
    'a result that runs in a page': 'gone',
    'a result without a disposition': 'gone',
    'a result as another type': swap(['contentTypeOf(file.key)', "'text/html'"]),
  }),
  ...wallsOf([...LINKS, 'packages/server/test/journeys/errors.test.ts'], {
    'a type that a browser guesses': swap([", 'x-content-type-options': 'nosniff'", '']),
  }),
  ...wallsOf(['packages/server/test/journeys/docs.test.ts'], {
    'pages of docs that run or load what is not ours': swap([".header('content-security-policy', POLICY)", '']),
    'HTML of a page of docs': swap(['escaped(text)', 'text']),
  }),
  ...wallsOf(['packages/server/test/journeys/errors.test.ts', 'lab/fuzz.test.ts'], {
    'a body that nests without end': 'never',
    'a compressed body': 'never',
    'a body in another writing than UTF-8': 'never',
  }),
  ...wallsOf(['packages/server/src/http/read-body.test.ts'], {
    'a body of any size': 'never',
    'a body that announces any size': 'never',
    'a body of any number of pieces': at('a body of any size', swap(['pieces > MAX_PIECES', 'false'])),
    'a refused body that goes on': swap(['void (body.complete || body.socket.destroy())', '{}']),
    'a refused body in crumbs': 'never',
  }),
  ...wallsOf(LOG, {
    'keys and secrets in the log': 'gone',
    'bearer tokens in the log': 'gone',
    'queries of URLs in the log': swap(['line.replace(ADDRESS, withoutQuery)', 'line']),
    'passwords of URLs in the log': swap(['[^\\s"\'<>\\\\/@]+', 'never']),
    'rows that the database quotes in the log': swap([
      'Object.fromEntries(ERROR_FIELDS.map((field) => [field, described[field]]))',
      'described',
    ]),
    'what is a secret by its name in the log': swap([
      "'req.headers.authorization', '*.authorization', '*.secretKey', '*.databaseUrl'",
      '',
    ]),
  }),
  ...wallsOf(SEAL, {
    'a sealed secret on another account': [
      at('a sealed secret on another account', 'gone'),
      at('a sealed secret on another account', 'gone', 1),
    ],
    'a sealed secret that was changed': swap([" + decipher.final('utf8')", '']),
    'a secret that was sealed with the key before': swap(['older.toReversed()', '[] as string[]']),
    'a secret in the clear': [
      at(
        'a secret in the clear',
        swap([
          "Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]",
          "(cipher.update(secret, 'utf8'), cipher.final(), Buffer.from(secret)",
        ]),
      ),
      at(
        'a sealed secret that was changed',
        swap([
          "decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8'",
          'String(sealed.subarray(NONCE_BYTES + TAG_BYTES)',
        ]),
      ),
    ],
  }),
  ...wallsOf(KEYS, {
    'keys in the clear in the database': swap(["hash('sha256', key, 'hex')", "Buffer.from(key).toString('hex')"]),
  }),
  ...wallsOf(['packages/server/src/accounts/key.test.ts'], {
    'a key with a slip in it': swap([
      ' && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)',
      '',
    ]),
  }),
  ...wallsOf(['packages/server/test/journeys/samples.test.ts'], {
    'any URL as a sample': swap(['network.samples?.has(url) === true', 'true']),
  }),
  ...wallsOf(KEYS, {
    'a call without a key': swap(['throw missingApiKey(call)', 'return']),
    'a suspended account': 'gone',
  }),
  ...wallsOf(['packages/server/test/journeys/limits.test.ts'], {
    'calls over the rate': 'gone',
  }),
  ...wallsOf(KEYS, {
    'a revoked key': swap([' and k.revoked_at is null', '']),
  }),
  ...wallsOf(REQUESTS, {
    'another account’s request': swap(['r.account_id = ${accountId}', '${accountId}::bigint > 0']),
    'another account’s requests in a list': swap(['r.account_id = ${accountId}', '${accountId}::bigint > 0']),
    'an abort of another account’s request': swap(['r.account_id = asked.by_account', 'asked.by_account > 0']),
    'a second end of a request': swap(['completed_at is null and ${allowed', '${allowed']),
  }),
  ...wallsOf(['packages/server/src/requests/settle.test.ts', 'packages/server/src/requests/interleavings.test.ts'], {
    'a worker that lost its request': swap([
      'r.worker_id is not distinct from asked.by_worker::uuid and r.attempt = asked.by_attempt',
      "asked.by_worker <> '' and asked.by_attempt > 0",
    ]),
  }),
  ...wallsOf(['packages/server/src/requests/parts/plan.test.ts'], {
    'a plan of a worker that lost its request': swap([
      'worker_id = ${held.workerId} and attempt = ${held.attempt} and completed_at is null\n      for no key update',
      "${held.workerId}::text <> '' and ${held.attempt}::integer > 0\n      for no key update",
    ]),
    'a plan that is carried on by a worker that lost its request': swap([
      'r.worker_id = ${held.workerId}\n      and r.attempt = ${held.attempt} and r.completed_at is null\n    returning l.format',
      "${held.workerId}::text <> ''\n      and ${held.attempt}::integer > 0\n    returning l.format",
    ]),
  }),
  ...wallsOf(['packages/server/src/requests/parts/line.test.ts'], {
    'all places of the fleet for one account’s parts': swap([
      'places.total - greatest(1, places.total / 10)',
      'places.total',
    ]),
    'a part of a worker that lost it': swap([
      'p.worker_id = ${held.workerId} and p.attempt = ${held.attempt}\n      and p.completed_at is null and r.id',
      "${held.workerId}::text <> '' and ${held.attempt}::integer > 0\n      and p.completed_at is null and r.id",
    ]),
  }),
  ...wallsOf(['packages/server/test/journeys/idempotency.test.ts'], {
    'another account’s Idempotency-Key': swap(['k.account_id = ${key.accountId}', '${key.accountId}::bigint > 0']),
  }),
  ...wallsOf(['packages/server/test/journeys/usage.test.ts'], {
    'another account’s usage': swap([
      'where account_id = ${accountId} and livemode = ${livemode} and day',
      'where ${accountId}::bigint > 0 and livemode = ${livemode} and day',
    ]),
    'usage of the other mode': at(
      'another account’s usage',
      swap(['} and livemode = ${livemode} and day', '} and ${livemode} is not null and day']),
    ),
  }),
  ...wallsOf(['packages/server/src/requests/accept.test.ts'], {
    'credit spent twice by calls at once': swap(['and (needed.hold = 0 or balance - a.held >= needed.hold)', '']),
    'more live requests at once than the limit': at(
      'credit spent twice by calls at once',
      swap(['and (live = 0 or open_live + live <= live_limit)', '']),
    ),
    'more test requests at once than the limit': at(
      'credit spent twice by calls at once',
      swap(['and (test = 0 or open_test + test <= test_limit)', '']),
    ),
    'more test requests a day than the cap': at(
      'credit spent twice by calls at once',
      swap([
        "and (test = 0 or case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end + test <= needed.test_requests)",
        '',
      ]),
    ),
    'requests of an account that was suspended meanwhile': at(
      'credit spent twice by calls at once',
      swap(['id and not suspended', 'id']),
    ),
  }),
  ...wallsOf(['packages/server/src/requests/idempotency.test.ts'], {
    'two requests of one Idempotency-Key': swap(['      where k.request_id is null\n', '']),
    'a request of a key that is not held any more': at(
      'two requests of one Idempotency-Key',
      swap(['      having count(key) = count(held_key.place)\n', '']),
    ),
  }),
  ...wallsOf(['packages/server/test/journeys/idempotency.test.ts'], {
    'a request under another account’s Idempotency-Key': swap([
      'account_id = placed.account_id and k.livemode',
      'livemode',
    ]),
  }),
  ...wallsOf(['packages/server/src/db/lock-order.test.ts'], {
    'statements that wait for each other’s accounts': at(
      'two requests of one Idempotency-Key',
      swap(['order by id for', 'for']),
    ),
  }),
  ...wallsOf(['packages/server/src/db/calls.test.ts'], {
    'another account’s request read with a call': swap(['r.account_id = "callerId"', 'true']),
    'calls of a suspended account in its minute': swap([' suspended ', ' false ']),
    'calls over a minute that is full, and at once over what is left of one': at(
      'calls of a suspended account in its minute',
      swap([
        'greatest(least(${wanted.length}::integer, calls - (w.upto[size] - w.upto[gone])), 0)',
        '${wanted.length}::integer',
      ]),
    ),
    'calls that looked at the clock before their turn': at(
      'calls of a suspended account in its minute',
      swap(['greatest(now, w.at[cardinality(w.at)]) as', 'now as']),
    ),
  }),
  ...wallsOf(['packages/server/src/requests/settle.test.ts'], {
    'a request that is charged twice': inFile(
      'packages/server/migrations/0001_the_line.sql',
      swap(['unique index', 'index']),
    ),
  }),
  ...wallsOf(
    ['packages/server/src/worker/request-loop.test.ts', 'packages/server/src/worker/database-uptime.test.ts'],
    {
      'one account that holds a whole worker': swap(['_.length > 0', 'false']),
    },
  ),
]
