import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import Fastify from 'fastify'
import { z } from 'zod'
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

test('the HEALTHCHECK of the container image succeeds only while /readyz returns 200', async () => {
  const dockerfile = readFileSync(join(import.meta.dirname, '../../../../../Dockerfile'), 'utf8')
  const [program = '', ...args] = z
    .array(z.string())
    .parse(JSON.parse(/^HEALTHCHECK .* CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? ''))
  const app = Fastify()
  let isReady = true
  serveHealth(app, { checks: { database: async () => isReady, store: yes, disk: yes } })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const check = (ports: Record<string, number>) =>
    new Promise<number | string | null | undefined>((resolve) => {
      const env = Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)]))
      execFile(program, args, { env: { PATH: process.env['PATH'], ...env } }, (error) => resolve(error?.code ?? 0))
    })
  assert.equal(await check({ PORT: port }), 0)
  assert.equal(await check({ PORT: 1, METRICS_PORT: port }), 0)
  isReady = false
  assert.equal(await check({ PORT: port }), 1)
  await app.close()
  assert.equal(await check({ PORT: port }), 1)
})
