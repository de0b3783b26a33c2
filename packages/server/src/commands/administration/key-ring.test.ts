import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedDatabase } from '@mediamill/lab/support/database'
import { run } from '@mediamill/lab/support/process'
import { acceptable, openAccount } from '@mediamill/lab/support/request-rows'
import { joinKeyRing } from '../../accounts/key-ring.ts'
import { retireSecretKey } from '../../accounts/retire-secret-key.ts'
import { accountContext, seal } from '../../accounts/seal.ts'
import { fingerprintOf } from '../../lib/key-fingerprint.ts'
import { accept } from '../../requests/accept.ts'
import { sealDestinations } from '../../requests/destination.ts'
import { commandAuthor } from './administer.ts'

const OLD = 'the key that was in force until yesterday'
const NEW = 'the key that has been in force since today'
const OTHER = 'the key of another service altogether'
const WEEK_MS = 7 * 86_400_000
const [old, current] = [fingerprintOf(OLD), fingerprintOf(NEW)]

const database = await sharedDatabase()
const { sql, url } = database
const account = await openAccount(sql)

async function sealSecret() {
  const { value, sealedBy } = seal(OLD, accountContext(account.id), 'whsec_abc')
  await sql`update webhook_secrets set sealed = ${value}, sealed_by = ${sealedBy}`
}

async function keyRing(secretKey: string, ...args: string[]) {
  const ran = run(['key-ring', ...args], { DATABASE_URL: url, SECRET_KEY: secretKey, DATA_DIR: '/nowhere' })
  const code = await ran.ended
  return { code, out: ran.out(), err: ran.err() }
}

test('key-ring status, reseal, and retire rotate SECRET_KEY; retire fails while a value still needs the old key [operator.commands.12]', {
  timeout: 120_000,
}, async () => {
  await sealSecret()
  const destination = sealDestinations(OLD, account.id, [{ file: 0, url: 'https://bucket.example/a', headers: {} }])
  await accept(sql, acceptable(account.id, { destination }))
  await joinKeyRing(sql, OLD)

  const early = await keyRing(`${NEW},${OLD}`, 'reseal')
  assert.equal(early.code, 1)
  assert.match(early.err, new RegExp(`No process uses ${current} as its first key yet`))
  await joinKeyRing(sql, `${NEW},${OLD}`)

  const status = async (secretKey: string) => JSON.parse((await keyRing(secretKey, 'status', '--json')).out)
  const { keys } = await status(`${NEW},${OLD}`)
  assert.deepEqual(
    keys.map((key: Record<string, unknown>) => [
      key['fingerprint'],
      key['position'],
      key['webhook_secrets'],
      key['destinations'],
      key['retired_at'],
    ]),
    [
      [old, 2, 1, 1, null],
      [current, 1, 0, 0, null],
    ],
  )
  const text = await keyRing(NEW, 'status')
  assert.match(text.out, new RegExp(`${old} +no .* 1 +1\\n`))
  assert.match(text.out, /No key of SECRET_KEY decrypts 1 webhook secret and 1 destination\./)

  const retire = (secretKey: string, fingerprint = old) =>
    retireSecretKey(sql, fingerprint, { secretKey, retentionMs: WEEK_MS, isForced: false, author: commandAuthor() })
  await assert.rejects(retire(`${NEW},${OLD}`), /still encrypts 1 webhook secret and 1 destination\. Run/)
  await assert.rejects(retire(NEW), new RegExp(`SECRET_KEY lacks the key ${old}, which may encrypt 1 webhook`))
  await assert.rejects(retire(`${OLD},${NEW}`), /is the first of SECRET_KEY/)
  await assert.rejects(retire(NEW, '00000000'), /There is no key 00000000/)

  const lacking = await keyRing(NEW, 'reseal')
  assert.match(lacking.err, new RegExp(`SECRET_KEY lacks the key ${old}`))
  const resealed = await keyRing(`${NEW},${OLD}`, 'reseal', '--json')
  assert.deepEqual(JSON.parse(resealed.out), { webhook_secrets: 1, destinations: 1, unreadable: 0 })

  const linked = await keyRing(NEW, 'retire', old)
  assert.equal(linked.code, 1)
  const until = /valid until (\S+)\. Retire the key after that time/.exec(linked.err)?.[1] ?? ''
  assert.ok(Math.abs(Date.parse(until) - Date.now() - WEEK_MS) < 300_000, linked.err)
  await sql`update secret_keys set last_used_at = now() - interval '8 days' where fingerprint = ${old}`
  const retired = await keyRing(NEW, 'retire', old)
  assert.deepEqual([retired.code, retired.out], [0, `The key ${old} is retired. You can remove it from SECRET_KEY.\n`])
  await joinKeyRing(sql, NEW)
  const [removed] = (await status(NEW)).keys
  assert.deepEqual([removed.fingerprint, removed.webhook_secrets, removed.destinations], [old, null, null])
  const audit = await sql`select action, subject, detail from audit where action = 'secret_key.retired'`
  assert.deepEqual(
    audit.map((row) => ({ ...row })),
    [{ action: 'secret_key.retired', subject: old, detail: { forced: false } }],
  )
})

test('key-ring add records a new SECRET_KEY before processes use it; --force starts a new ring after the loss of a key [operator.commands.12]', {
  timeout: 120_000,
}, async () => {
  await sealSecret()
  await sql`delete from secret_keys`
  const lost = await keyRing(OTHER, 'add')
  assert.equal(lost.code, 1)
  assert.match(lost.err, /^mediamill: SECRET_KEY cannot decrypt any webhook secret .* key-ring add --force\.\n$/)
  assert.equal(
    (await keyRing(OLD, 'add', current)).err,
    `mediamill: SECRET_KEY has no key ${current}. It has the key ${old}.\n`,
  )
  const added = await keyRing(`${OLD},${NEW}`, 'add', current)
  assert.deepEqual(
    [added.code, added.out],
    [0, `The key ${current} is in the key ring. A process without this key does not start.\n`],
  )
  await assert.rejects(joinKeyRing(sql, OLD), new RegExp(`SECRET_KEY lacks the key ${current}`))
  await joinKeyRing(sql, `${OLD},${NEW}`)
  await sql`update secret_keys set retired_at = now() where fingerprint = ${current}`
  assert.equal((await keyRing(`${OLD},${NEW}`, 'add', current)).err, `mediamill: The key ${current} is retired.\n`)
  await sql`delete from secret_keys`
  assert.equal((await keyRing(OTHER, 'add', '--force')).code, 0)
  await joinKeyRing(sql, OTHER)
  const audit = await sql`select subject, detail from audit where action = 'secret_key.added' order by id`
  assert.deepEqual(
    audit.map((row) => ({ ...row })),
    [
      { subject: current, detail: { forced: false } },
      { subject: fingerprintOf(OTHER), detail: { forced: true } },
    ],
  )
})

test('key-ring retire --force retires a lost key, although values still need the key', {
  timeout: 120_000,
}, async () => {
  await sealSecret()
  await sql`delete from secret_keys`
  await joinKeyRing(sql, OLD)
  await assert.rejects(joinKeyRing(sql, NEW))
  assert.equal((await keyRing(NEW, 'retire', old, '--force')).code, 0)
  await joinKeyRing(sql, NEW)
  const reseal = await keyRing(NEW, 'reseal')
  assert.equal(reseal.code, 1)
  assert.match(reseal.out, /\n1 value could not be decrypted/)
})
