import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { naming } from '@mediamill/lab/support/message'
import { freePort } from '@mediamill/lab/support/process'
import { startEmbedded } from '../../app/postgres/embedded.ts'
import { awaitDatabase } from './await-database.ts'

test('a starting process waits for an unreachable database, and finally reports an error that contains the address, but not the password [operator.start.3]', async () => {
  const port = await freePort()
  for (const host of ['127.0.0.1', 'localhost']) {
    await assert.rejects(awaitDatabase(`postgres://mill:hunter2@${host}:${port}/mill`, { timeoutMs: 600 }), {
      name: 'OperatorError',
      message: new RegExp(`^DATABASE_URL: (?!.*hunter2).*within 1 s.*ECONNREFUSED 127\\.0\\.0\\.1:${port}\\b`),
    })
  }
})

test('a starting process finds a reachable database, and does not wait for a database that rejects the login', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'mediamill-await-'))
  await using held = await startEmbedded(dataDir, { log: () => undefined, temporary: true })
  assert.equal(await awaitDatabase(held.url, { timeoutMs: 0 }), held.url)
  await assert.rejects(awaitDatabase(held.url.replace('/postgres?', '/nowhere?'), { timeoutMs: 600_000 }), {
    name: 'OperatorError',
    message: naming('DATABASE_URL', 'rejected', 'database "nowhere" does not exist'),
  })
})
