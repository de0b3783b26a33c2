import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import type { Run } from '@mediamill/lab/support/process'
import { freePort, listens, until } from '@mediamill/lab/support/process'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'
import { accountWith, databaseOf, find, serve } from './serve-fixture.ts'

// All tests share a data folder, because creating a database takes several seconds.
const NAME = 'stopped'

let liveKey: string | undefined
/** Returns the live key, which only the first start prints. */
const keyOf = (service: Run) => (liveKey ??= find(service.out(), /svc_live_\w+/))

describe('stopping mediamill serve', () => {
  test('a second SIGINT from npm after a Ctrl-C lets the processes finish, even with an idle open connection [operator.stop.1]', {
    timeout: 60_000,
  }, async () => {
    const port = await freePort()
    const service = await serve(NAME, port)
    keyOf(service)
    const silent = connect(port, '127.0.0.1')
    await once(silent, 'connect')
    service.child.kill('SIGINT')
    service.child.kill('SIGINT')
    assert.equal(await service.ended, 0)
    assert.match(service.out(), /"role":"worker".*"worker has stopped"/)
    assert.match(service.out(), /"role":"api".*"api has stopped"/)
    silent.destroy()
  })

  test('SIGTERM ends the service within DRAIN_TIMEOUT, and the next start processes the unfinished job [operator.stop.1]', {
    timeout: 180_000,
  }, async () => {
    const port = await freePort()
    const asked = Promise.withResolvers<void>()
    await using sources = await startSourceServer({ '/photo.png': () => asked.resolve() })
    const settings = { DRAIN_TIMEOUT: '1s', ALLOWED_PRIVATE_HOSTS: sources.host }
    const service = await serve(NAME, port, settings)
    const key = keyOf(service)
    const body = { source: sources.url('/photo.png'), operations: [{ type: 'flip', vertical: true }] }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${port}/v1/images/process`
    const call = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    const { id } = (await call.json()) as { id: number }
    await asked.promise
    const stoppedAt = performance.now()
    service.child.kill('SIGTERM')
    assert.equal(await service.ended, 0)
    assert.ok(performance.now() - stoppedAt < 30_000, 'the default is 30 s')

    const photo = { create: { width: 4, height: 4, channels: 3, background: 'red' } } as const
    sources.files.set('/photo.png', await sharp(photo).png().toBuffer())
    const again = await serve(NAME, port, settings)
    await until(async () => {
      // One long poll instead of many calls, because all tests of this file share the calls per minute of their key.
      const waiting = { ...headers, prefer: 'wait=20' }
      const found = await fetch(`http://127.0.0.1:${port}/v1/requests/${id}`, { headers: waiting })
      return ((await found.json()) as { status: string }).status === 'succeeded'
    })
    again.child.kill('SIGTERM')
    assert.equal(await again.ended, 0)
  })

  test('a dead child process is restarted, and kill -9 of the service leaves no process and loses no work [operator.stop.2]', async () => {
    const port = await freePort()
    const service = await serve(NAME, port)
    const key = keyOf(service)
    const [api = 0] = service.pidsOf('api')
    process.kill(api, 'SIGKILL')
    await until(() => service.pidsOf('api').length === 2)
    assert.equal((await accountWith(key, port)).status, 200)

    const roles = [...service.pidsOf('api'), ...service.pidsOf('worker')]
    service.child.kill('SIGKILL')
    await until(() => roles.every((pid) => !lives(pid)))
    await until(async () => !(await listens(databaseOf(NAME))))

    const again = await serve(NAME, port)
    assert.equal((await accountWith(key, port)).status, 200)
    again.child.kill('SIGTERM')
    assert.equal(await again.ended, 0)
  })
})

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
