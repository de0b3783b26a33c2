import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDatabase } from '@mediamill/lab/support/database'
import { freePort } from '@mediamill/lab/support/process'
import { SECRET_KEY } from '@mediamill/lab/support/request-rows'
import { spawnRole } from '@mediamill/lab/support/role-process'

const database = await createDatabase()
const folder = await mkdtemp(join(tmpdir(), 'mediamill-role-'))
const started: ChildProcess[] = []
after(async () => {
  for (const child of started) child.kill('SIGKILL')
  await database[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const settings = async () => ({
  DATABASE_URL: database.url,
  SECRET_KEY,
  DATA_DIR: folder,
  PORT: String(await freePort()),
})

function start(...given: Parameters<typeof spawnRole>): { child: ChildProcess; ended: Promise<unknown> } {
  const child = spawnRole(...given)
  started.push(child)
  return { child, ended: once(child, 'exit').then(([code, signal]: unknown[]) => code ?? signal) }
}

const inTime = { timeout: 60_000 }

/** Returns an environment in which a role runs a line of JavaScript before its own code. */
const first = (line: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(line)}` })

test('a process of mediamill serve exits if its parent process exits during the start', inTime, async () => {
  const slow = first('await new Promise((resolve) => process.once("disconnect", resolve))')
  const { child, ended } = start('api', { ...(await settings()), ...slow })
  child.disconnect()
  assert.equal(await ended, 'SIGKILL')
})

test(
  'a process of mediamill serve exits when its parent process exits, even if Node.js hangs during exit',
  inTime,
  async () => {
    const hanging = first('process.on("exit", () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))')
    const { child, ended } = start('api', { ...(await settings()), ...hanging })
    await once(child, 'message')
    child.disconnect()
    assert.equal(await ended, 'SIGKILL')
  },
)

for (const jobs of ['0', '1'])
  test(`a worker that runs ${jobs} jobs at the same time logs its id when it is ready`, inTime, async () => {
    const wanted = { ...(await settings()), WORKER_CONCURRENCY: jobs, LOG_LEVEL: 'info', ISOLATION: 'process' }
    const { child, ended } = start('worker', wanted, { stdout: 'pipe' })
    let output = ''
    for await (const text of child.stdout ?? []) {
      output += String(text)
      if (output.includes('worker is ready')) break
    }
    const line = output.split('\n').find((each) => each.includes('worker is ready')) ?? assert.fail(output)
    const { worker_id: id, pid } = JSON.parse(line) as { worker_id: string; pid: number }
    assert.deepEqual((await database.sql`select pid from workers where id = ${id}`)[0], { pid })
    assert.equal(pid, child.pid)
    assert.equal(line.split('"pid":').length, 2, line)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  })

test('a worker removes secrets and all variables that it does not need from its environment', inTime, async () => {
  const show = first('process.on("SIGUSR2", () => process.send({ names: Object.keys(process.env) }))')
  const given = { ...(await settings()), ...show, FOREIGN_TOKEN: 'x', AWS_PROFILE: 'mill', ISOLATION: 'process' }
  const { child, ended } = start('worker', given)
  await once(child, 'message')
  child.kill('SIGUSR2')
  const [{ names }] = (await once(child, 'message')) as [{ names: string[] }]
  const expected = ['AWS_PROFILE', 'DATA_DIR', 'ISOLATION', 'LOG_LEVEL', 'NODE_OPTIONS', 'PATH', 'PORT', 'WARM_ENGINES']
  assert.deepEqual(names.toSorted(), expected)
  child.kill('SIGTERM')
  assert.equal(await ended, 0)
})

test(
  'stopping a process during its start ends it at once, without waiting for the start to finish [operator.stop.1]',
  inTime,
  async () => {
    const away = `postgres://mill@127.0.0.1:${await freePort()}/mill`
    const wanted = { ...(await settings()), DATABASE_LISTEN_URL: away, LOG_LEVEL: 'info', ISOLATION: 'process' }
    const { child, ended } = start('worker', wanted, { stdout: 'pipe' })
    let output = ''
    for await (const text of child.stdout ?? []) {
      output += String(text)
      if (output.includes('engines run inside')) break
    }
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
  },
)

test(
  'a process whose stop hangs, for example on an unresponsive database, logs the problem and is killed [operator.stop.1]',
  inTime,
  async () => {
    const program = join(import.meta.dirname, '../../../../lab/fixtures/stuck-role.ts')
    const wanted = { ...(await settings()), LOG_LEVEL: 'error', DRAIN_TIMEOUT: '1s' }
    const { child, ended } = start('worker', wanted, { stdout: 'pipe', program })
    await once(child, 'message')
    child.kill('SIGTERM')
    let output = ''
    for await (const text of child.stdout ?? []) output += String(text)
    assert.equal(await ended, 'SIGKILL')
    assert.match(output, /worker did not stop within 1\.1 s/)
  },
)
