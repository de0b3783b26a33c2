import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '@mediamill/lab/support/process'
import { startEmbedded } from '../../app/postgres/embedded.ts'
import { awaitDatabase } from './await-database.ts'

test('a database that does not answer is waited for, then named as the reason, without its password [operator.start.3]', async () => {
  const url = `postgres://mill:hunter2@127.0.0.1:${await freePort()}/mill`
  await assert.rejects(awaitDatabase(url, { patienceMs: 600 }), {
    name: 'OperatorError',
    message: 'DATABASE_URL: no database answered within 1 s (ECONNREFUSED).',
  })
})

test('a database that answers is found, and one that refuses us is not waited for', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mediamill-await-'))
  await using held = await startEmbedded(dataDir, { log: () => undefined, temporary: true })
  assert.equal(await awaitDatabase(held.url, { patienceMs: 0 }), held.url)
  await assert.rejects(awaitDatabase(held.url.replace('/postgres?', '/nowhere?'), { patienceMs: 600_000 }), {
    name: 'OperatorError',
    message: 'DATABASE_URL: the database refuses us: database "nowhere" does not exist.',
  })
})
