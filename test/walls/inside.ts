import { type Wall, wallsOf } from './wall.ts'

const LINK = ['src/store/link.test.ts']
const DISK = ['src/store/disk.test.ts']
const RESULT = ['src/store/result-file.test.ts']
const LINKS = ['test/journeys/links.test.ts']
const LOG = ['src/log.test.ts']
const SEAL = ['src/accounts/seal.test.ts']
const REQUESTS = ['test/journeys/requests.test.ts']
const KEYS = ['test/journeys/keys.test.ts']

/** Links, secrets, logs, and what one account may see of another. */
export const INSIDE: readonly Wall[] = [
  ...wallsOf('src/store/link.ts', LINK, {
    'a forged signature': ["if (!isRight) return 'invalid_signature'", ''],
    'a link after its time': ["return unixSeconds(now) >= Number(expires) ? 'expired' : 'valid'", "return 'valid'"],
    'a signature guessed byte by byte': ['timingSafeEqual(given, expected)', 'given.equals(expected)'],
    'a signature guessed by which key it fails at': [
      'const isRight = keys\n    .map((key) => {',
      'const isRight = keys.map((key, index) => {\n      if (index > 0) return false',
    ],
    'a signature of one kind of link on the other': ['`mediamill ${label} 1`', '`mediamill 1`'],
    'a signature of one file on another': ['[link.key, link.name, String(link.sha256)]', '[]'],
    'an address of a file that lives on': ['unixSeconds(now) + seconds', 'unixSeconds(now) + 86_400'],
  }),
  ...wallsOf('src/store/disk.ts', DISK, {
    'a key that is a path': ['if (!isStoreKey(key)) throw', 'if (false) throw'],
    'a link in the store': ['constants.O_RDONLY | constants.O_NOFOLLOW', 'constants.O_RDONLY'],
    'a file that takes the place of a result': ['if (lstatSync(to).ino !== result.inode)', 'if (false)'],
  }),
  ...wallsOf('src/store/result-file.ts', RESULT, {
    'a link in place of a result that is stored': [' | constants.O_NOFOLLOW', ''],
    'a pipe in place of a result that is stored': [
      'if (stats.isFile() && stats.nlink === 1)',
      'if (stats.nlink === 1)',
    ],
    'a second name of a file in place of a result that is stored': [
      'if (stats.isFile() && stats.nlink === 1)',
      'if (stats.isFile())',
    ],
  }),
  ...wallsOf('src/http/results.ts', LINKS, {
    'a result without its link': ['refuse(verifyResult(door.links.keys, { id, expires, signature }, new Date()))', ''],
    'a file without its signature': ['refuse(verifyFile(door.links.keys, link, new Date()))', ''],
    'a result that runs in a page': ["    'content-security-policy': \"default-src 'none'; sandbox\",\n", ''],
    'a result without a disposition': ['    \'content-disposition\': `inline; filename="${file.name}"`,\n', ''],
    'a result as another type': ["'content-type': contentTypeOf(file.key)", "'content-type': 'text/html'"],
  }),
  ...wallsOf('src/http/errors.ts', [...LINKS, 'test/journeys/errors.test.ts'], {
    'a type that a browser guesses': [", 'x-content-type-options': 'nosniff'", ''],
  }),
  ...wallsOf('src/http/docs.ts', ['test/openapi.test.ts'], {
    'pages that load from elsewhere': [".header('content-security-policy', POLICY)", ''],
  }),
  ...wallsOf('src/http/json-body.ts', ['test/journeys/errors.test.ts', 'test/fuzz.test.ts'], {
    'a body that nests without end': ['if (depthOf(text) > MAX_DEPTH)', 'if (false)'],
    'a compressed body': ["if (call.headers['content-encoding'] !== undefined)", 'if (false)'],
  }),
  ...wallsOf('src/http/read-body.ts', ['src/http/read-body.test.ts'], {
    'a body of any size': ['if (joined.bytes > MAX_BODY_BYTES)', 'if (false)'],
    'a body that announces any size': ["if (Number(call.headers['content-length']) > MAX_BODY_BYTES)", 'if (false)'],
    'a body of any number of pieces': ['else if (pieces > MAX_PIECES)', 'else if (false)'],
  }),
  ...wallsOf('src/http/errors.ts', ['src/http/read-body.test.ts'], {
    'a refused body that goes on': [
      'setTimeout(() => void (raw.complete || raw.socket.destroy()), READ_AWAY_MS)',
      'setTimeout(() => {}, 0)',
    ],
  }),
  ...wallsOf('src/log.ts', LOG, {
    'keys and secrets in the log': ["  [/\\b(svc_(?:live|test)_|whsec_)[\\w+/=-]+/g, '$1…'],\n", ''],
    'bearer tokens in the log': ["  [/\\b(Bearer )[^\\s\"\\\\]+/gi, '$1…'],\n", ''],
    'queries of URLs in the log': ["\\?[^\\s\"'<>\\\\#]*/gi, '$1?…']", "\\?never/gi, '$1?…']"],
    'passwords of URLs in the log': ["[^\\s\"'<>\\\\/@]+@/gi, '$1…@']", "never@/gi, '$1…@']"],
    'rows that the database quotes in the log': [
      'Object.fromEntries(ERROR_FIELDS.map((field) => [field, described[field]]))',
      'described',
    ],
    'what is a secret by its name in the log': [
      "redact: ['req.headers.authorization', '*.authorization', '*.secretKey', '*.databaseUrl'],",
      'redact: [],',
    ],
  }),
  ...wallsOf('src/accounts/seal.ts', SEAL, {
    'a sealed secret on another account': [
      ['  cipher.setAAD(Buffer.from(context))\n', ''],
      ['  decipher.setAAD(Buffer.from(context))\n', ''],
    ],
    'a sealed secret that was changed': [" + decipher.final('utf8')", ''],
    'a secret that was sealed with the key before': [
      'for (const key of older.toReversed())',
      'for (const key of [] as string[])',
    ],
    'a secret in the clear': [
      [
        "Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])",
        "(cipher.update(secret, 'utf8'), cipher.final(), Buffer.from(secret))",
      ],
      [
        "decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')",
        'String(sealed.subarray(NONCE_BYTES + TAG_BYTES))',
      ],
    ],
  }),
  ...wallsOf('src/accounts/key.ts', KEYS, {
    'keys in the clear in the database': ["createHash('sha256').update(key).digest()", 'Buffer.from(key)'],
  }),
  ...wallsOf('src/accounts/key.ts', ['src/accounts/key.test.ts'], {
    'a key with a slip in it': [' && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)', ''],
  }),
  ...wallsOf('src/http/authenticate.ts', KEYS, {
    'a call without a key': [
      "throw new ApiError('missing_api_key', 'Send your API key in the header Authorization: Bearer <API_KEY>.')",
      'return',
    ],
    'a suspended account': ['if (account.suspended) throw accountSuspended()', ''],
  }),
  ...wallsOf('src/http/authenticate.ts', ['test/journeys/limits.test.ts'], {
    'calls over the rate': ['if (pace.entered) return', 'return'],
  }),
  ...wallsOf('src/db/calls.ts', KEYS, {
    'a revoked key': [' and k.revoked_at is null', ''],
  }),
  ...wallsOf('src/db/requests.ts', REQUESTS, {
    'another account’s request': [
      'where r.id = ${id} and r.account_id = ${accountId}`',
      'where r.id = ${id} and ${accountId}::bigint > 0`',
    ],
    'another account’s requests in a list': [
      'where r.account_id = ${accountId} and r.id <',
      'where ${accountId}::bigint > 0 and r.id <',
    ],
  }),
  ...wallsOf('src/db/finish-request.ts', REQUESTS, {
    'an abort of another account’s request': [
      '? sql`account_id = ${guard.accountId}`',
      '? sql`${guard.accountId}::bigint > 0`',
    ],
    'a second end of a request': ['and completed_at is null and ${allowed}', 'and ${allowed}'],
  }),
  ...wallsOf('src/db/finish-request.ts', ['src/requests/settle.test.ts', 'src/requests/interleavings.test.ts'], {
    'a worker that lost its request': [
      'sql`worker_id is not distinct from ${guard.workerId} and attempt = ${guard.attempt}`',
      "sql`${guard.workerId}::text <> '' and ${guard.attempt}::integer > 0`",
    ],
  }),
  ...wallsOf('src/db/idempotency.ts', ['test/journeys/idempotency.test.ts'], {
    'another account’s Idempotency-Key': [
      'where k.account_id = ${key.accountId} and k.livemode = ${key.livemode}',
      'where ${key.accountId}::bigint > 0 and k.livemode = ${key.livemode}',
    ],
  }),
  ...wallsOf('src/db/usage.ts', ['test/journeys/usage.test.ts'], {
    'another account’s usage': [
      'where account_id = ${accountId} and livemode = ${livemode} and day between',
      'where ${accountId}::bigint > 0 and livemode = ${livemode} and day between',
    ],
    'usage of the other mode': [
      'where account_id = ${accountId} and livemode = ${livemode} and day between',
      'where account_id = ${accountId} and ${livemode} is not null and day between',
    ],
  }),
  ...wallsOf('src/db/accept-request.ts', ['src/requests/accept.test.ts'], {
    'credit spent twice by calls at once': ['and (needed.hold = 0 or balance - a.held >= needed.hold)', ''],
    'more live requests at once than the limit': ['and (live = 0 or open_live + live <= live_limit)', ''],
    'more test requests at once than the limit': ['and (test = 0 or open_test + test <= test_limit)', ''],
    'more test requests a day than the cap': [
      "and (test = 0 or case when test_day = (now() at time zone 'utc')::date then test_accepted else 0 end + test <= needed.test_requests)",
      '',
    ],
    'requests of an account that was suspended meanwhile': [
      'where a.id = locked.id and not suspended',
      'where a.id = locked.id',
    ],
  }),
  ...wallsOf('src/db/accept-request.ts', ['src/requests/idempotency.test.ts'], {
    'two requests of one Idempotency-Key': ['      where k.request_id is null\n', ''],
    'a request of a key that is not held any more': ['      having count(key) = count(held_key.place)\n', ''],
  }),
  ...wallsOf('src/db/accept-request.ts', ['test/journeys/idempotency.test.ts'], {
    'a request under another account’s Idempotency-Key': [
      'where k.account_id = placed.account_id and k.livemode = placed.livemode',
      'where k.livemode = placed.livemode',
    ],
  }),
  ...wallsOf('src/db/accept-request.ts', ['src/db/lock-order.test.ts'], {
    'statements that wait for each other’s accounts': ['order by id for no key update', 'for no key update'],
  }),
  ...wallsOf('src/db/calls.ts', ['src/db/calls.test.ts'], {
    'another account’s request beside a call': ['on r.account_id = "callerId"', 'on true'],
    'calls of a suspended account in its minute': ['case when suspended then 0 else', 'case when false then 0 else'],
    'calls over a minute that is full, and at once over what is left of one': [
      'greatest(least(${wanted.length}::integer, calls - (w.upto[size] - w.upto[gone])), 0)',
      '${wanted.length}::integer',
    ],
    'calls that looked at the clock before their turn': [
      'greatest(now, w.at[cardinality(w.at)]) as stamp',
      'now as stamp',
    ],
  }),
  ...wallsOf('migrations/0001_the_line.sql', ['src/requests/settle.test.ts'], {
    'a request that is charged twice': ['create unique index ledger_charge on', 'create index ledger_charge on'],
  }),
  ...wallsOf('src/db/claim-requests.ts', ['src/worker/loop.test.ts', 'src/worker/steady.test.ts'], {
    'one account that holds a whole worker': [
      'and account_id <> all(${except}::bigint[])',
      'and ${except}::bigint[] is not null',
    ],
  }),
]
