import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { naming } from '@mediamill/lab/support/message'
import { freePort, run } from '@mediamill/lab/support/process'
import { listSecretKeys } from '../db/secret-keys.ts'
import { fingerprintOf } from '../lib/key-fingerprint.ts'
import { createAccount } from './create-account.ts'
import { joinKeyRing } from './key-ring.ts'

const OLD = 'the key that was in force until yesterday'
const NEW = 'the key that has been in force since today'
const OTHER = 'the key of another service altogether'

async function openDatabase(t: TestContext) {
  const database = await createDatabase()
  t.after(() => database[Symbol.asyncDispose]())
  return database
}

test('the fingerprint of a SECRET_KEY value is eight hexadecimal digits, and does not change between releases', () => {
  assert.equal(fingerprintOf(OLD), '68a0da0d')
  assert.notEqual(fingerprintOf(NEW), fingerprintOf(OLD))
})

test('a process adds its key to the ring of known SECRET_KEY values only if its SECRET_KEY setting contains every key of the ring', async (t) => {
  const { sql } = await openDatabase(t)
  const ring = async () => (await listSecretKeys(sql)).map(({ fingerprint }) => fingerprint)
  await joinKeyRing(sql, OLD)
  await joinKeyRing(sql, `${OLD}, ${NEW}`)
  assert.deepEqual(await ring(), [fingerprintOf(OLD)])
  await joinKeyRing(sql, `${NEW},${OLD}`)
  assert.deepEqual(await ring(), [OLD, NEW].map(fingerprintOf))

  await assert.rejects(joinKeyRing(sql, `${OTHER},${OLD}`), {
    name: 'OperatorError',
    message: naming(
      `SECRET_KEY lacks the key ${fingerprintOf(NEW)}`,
      fingerprintOf(OTHER),
      fingerprintOf(OLD),
      `mediamill key-ring retire ${fingerprintOf(NEW)} --force`,
    ),
  })
  assert.deepEqual(await ring(), [OLD, NEW].map(fingerprintOf))

  await sql`update secret_keys set retired_at = now() where fingerprint = ${fingerprintOf(OLD)}`
  await joinKeyRing(sql, NEW)
  await assert.rejects(
    joinKeyRing(sql, `${OLD},${NEW}`),
    /^OperatorError: The first key of SECRET_KEY, \w{8}, is retired/,
  )
})

test('after an upgrade, the first process starts only if its SECRET_KEY can decrypt a secret that is stored in the database [operator.settings.8]', async (t) => {
  const { sql } = await openDatabase(t)
  await createAccount(sql, OLD, { name: 'Ada', email: 'ada@example.com' })
  await createAccount(sql, OTHER, { name: 'Bob', email: 'bob@example.com' })
  // Older versions of the program did not store `sealed_by`.
  await sql`update webhook_secrets set sealed_by = null`
  await assert.rejects(joinKeyRing(sql, NEW), {
    name: 'OperatorError',
    message: naming('SECRET_KEY', 'webhook secret', fingerprintOf(NEW), 'mediamill key-ring add --force'),
  })
  assert.deepEqual(await listSecretKeys(sql), [])
  await joinKeyRing(sql, `${NEW},${OTHER}`)
  assert.deepEqual(
    (await listSecretKeys(sql)).map(({ fingerprint }) => fingerprint),
    [fingerprintOf(NEW)],
  )
})

test('if processes with different SECRET_KEY values start at the same time, exactly one starts', async (t) => {
  const { sql } = await openDatabase(t)
  const started = await Promise.allSettled([OLD, NEW, OTHER].map((key) => joinKeyRing(sql, key)))
  assert.equal(started.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await listSecretKeys(sql)).length, 1)
})

test('every command that uses SECRET_KEY fails with a one-line error if the key is wrong; other commands work [operator.settings.8]', {
  timeout: 120_000,
}, async (t) => {
  const { url, sql } = await openDatabase(t)
  await joinKeyRing(sql, OLD)
  const dataDir = await mkdtemp(join(tmpdir(), 'mediamill-keys-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const settings = { DATABASE_URL: url, SECRET_KEY: NEW, DATA_DIR: dataDir, PORT: String(await freePort()) }
  const account = ['account', 'create', '--name', 'Ada', '--email', 'ada@example.com']
  for (const args of [['serve'], ['api'], ['worker'], account, ['secret', 'show', '1001']]) {
    const ran = run(args, { ...settings, LOG_LEVEL: 'fatal' })
    assert.equal(await ran.ended, 1, args.join(' '))
    const line = new RegExp(
      `^mediamill: SECRET_KEY lacks the key ${fingerprintOf(OLD)}, .* the key ${fingerprintOf(NEW)}\\..*\\n$`,
    )
    assert.match(ran.err(), line, args.join(' '))
  }
  const listed = run(['account', 'list'], settings)
  assert.equal(await listed.ended, 0, listed.err())
  assert.deepEqual((await listSecretKeys(sql)).length, 1, 'no command added its key')
})
