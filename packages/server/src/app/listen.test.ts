import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { pino } from 'pino'
import { listenAt } from './listen.ts'

test('an HTTP server that starts to listen logs no address, because the process logs the address when it is ready', async () => {
  const lines: string[] = []
  const app = Fastify({ loggerInstance: pino({}, { write: (line: string) => lines.push(line) }) })
  const address = await listenAt(app, 'PORT', { host: '127.0.0.1', port: 0 })
  app.log.info('a line of its own')
  await app.close()
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['a line of its own'],
  )
})

test('with the host localhost, a process listens only on 127.0.0.1, with one HTTP server, because connection limits apply per server', async () => {
  const app = Fastify()
  const address = await listenAt({ listen: app.listen.bind(app), log: { level: '' } }, 'PORT', {
    host: 'localhost',
    port: 0,
  })
  const addresses = app.addresses()
  await app.close()
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.equal(addresses.length, 1)
})
