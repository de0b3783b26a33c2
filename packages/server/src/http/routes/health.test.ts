import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { serveHealth } from './health.ts'

const yes = () => Promise.resolve(true)

test('/livez of a stopping server succeeds and /readyz fails, so that a proxy sends calls to another server [operator.health.1]', async () => {
  const app = Fastify()
  let isStopping = false
  serveHealth(app, { checks: { database: yes, store: yes, disk: yes }, isStopping: () => isStopping })
  const readiness = async () => {
    const { statusCode, body } = await app.inject('/readyz')
    return [statusCode, (JSON.parse(body) as { status: string }).status]
  }
  assert.deepEqual(await readiness(), [200, 'ok'])
  isStopping = true
  assert.deepEqual(await readiness(), [503, 'stopping'])
  assert.equal((await app.inject('/livez')).statusCode, 200)
  await app.close()
})
