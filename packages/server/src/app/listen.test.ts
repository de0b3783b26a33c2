import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '@mediamill/contract/domain/errors'
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

test('the error of an address that cannot be used names the address, the setting, and a fix', async () => {
  const listenWith = (error: Error) =>
    listenAt({ listen: () => Promise.reject(error), log: { level: '' } }, 'PORT', { host: 'x.example', port: 80 })
  for (const [code, syscall, expected] of [
    ['EADDRINUSE', 'listen', ' is in use: choose another PORT, or stop the program that listens there.'],
    ['EACCES', 'bind', ' needs more privileges than this user has: choose a PORT of at least 1024.'],
    ['EADDRNOTAVAIL', 'listen', ' is not an address of this machine: choose another HOST.'],
    ['ENOTFOUND', 'getaddrinfo', ' is not an address of this machine: choose another HOST.'],
    ['EINVAL', 'listen', ' failed (EINVAL): choose another PORT or HOST.'],
  ] as const) {
    const message = `${code === 'EINVAL' ? 'Listening on ' : ''}x.example, port 80${expected}`
    const listening = listenWith(Object.assign(new Error('failed'), { code, syscall }))
    await assert.rejects(listening, (error) => error instanceof OperatorError && error.message === message)
  }
  const other = Object.assign(new Error('failed'), { code: 'EMFILE', syscall: 'open' })
  for (const error of [other, new Error('a bug')]) await assert.rejects(listenWith(error), error)
})
