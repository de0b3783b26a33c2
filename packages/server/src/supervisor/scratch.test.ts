import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { openScratch } from './scratch.ts'

const root = await sharedFolder('mediamill-scratch-')
const newRoot = () => mkdtemp(join(root, 'root-'))

test('a job folder is private to its user, and is removed with its files when it is disposed', async () => {
  await using scratch = await openScratch(await newRoot())
  const folder = scratch.jobFolder()
  assert.equal((await stat(folder.path)).mode & 0o777, 0o700)
  await mkdir(join(folder.path, 'deep', 'er'), { recursive: true })
  await writeFile(join(folder.path, 'deep', 'er', 'file'), 'x')
  await folder[Symbol.asyncDispose]()
  assert.equal(existsSync(folder.path), false)
})

test('an engine folder is private to its user, and no user can list the folders of other engines and jobs', async () => {
  await using scratch = await openScratch(await newRoot())
  assert.equal((await stat(scratch.engineFolder().path)).mode & 0o777, 0o700)
  assert.equal((await stat(scratch.path)).mode & 0o777, 0o711)
  assert.equal((await stat(join(scratch.path, 'engines'))).mode & 0o777, 0o711)
  assert.equal((await stat(join(scratch.path, 'jobs'))).mode & 0o777, 0o700)
})

test('a stopping worker removes only its own scratch folder', async () => {
  const shared = await newRoot()
  const first = await openScratch(shared)
  await using second = await openScratch(shared)
  first.jobFolder()
  await first[Symbol.asyncDispose]()
  assert.deepEqual(await readdir(shared), [basename(second.path)])
})

test('a starting worker removes the scratch folder of a killed worker', async () => {
  const shared = await newRoot()
  const program = `
    import { openScratch } from ${JSON.stringify(join(import.meta.dirname, 'scratch.ts'))}
    const scratch = await openScratch(${JSON.stringify(shared)})
    scratch.jobFolder()
    console.log(scratch.path)
    setInterval(() => {}, 1000)`
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(worker.stdout, 'data')) as [Buffer]
  const left = line.toString().trim()
  await using living = await openScratch(shared)
  assert.equal(existsSync(left), true, 'while its worker lives it stays')
  worker.kill('SIGKILL')
  await once(worker, 'exit')
  await using next = await openScratch(shared)
  assert.equal(existsSync(left), false)
  assert.deepEqual(new Set(await readdir(shared)), new Set([living.path, next.path].map((path) => basename(path))))
})

test("a worker compares start times, so it removes a dead worker's folder even if the dead worker's process id is in use again", async () => {
  const shared = await newRoot()
  await using living = await openScratch(shared)
  const [, pid, started, bootId] = /^worker-(\d+)-(\w+)-(\w+)-/.exec(basename(living.path)) ?? []
  const reused = join(shared, `worker-${pid}-${Number(started) - 1}-${bootId}-00000000`)
  await mkdir(reused)
  await using next = await openScratch(shared)
  assert.equal(existsSync(reused), false)
  assert.equal(existsSync(living.path) && existsSync(next.path), true)
})

test('a worker removes the scratch folder of a worker in another container only after 15 minutes without a heartbeat', async () => {
  const shared = await newRoot()
  const elsewhere = join(shared, 'worker-1-1-0123456789ab-00000000')
  const unknown = join(shared, 'not-ours')
  await Promise.all([mkdir(elsewhere), mkdir(unknown)])
  const age = async (minutes: number) => {
    const then = new Date(Date.now() - minutes * 60_000)
    await Promise.all([utimes(elsewhere, then, then), utimes(unknown, then, then)])
  }
  await age(14)
  await (await openScratch(shared))[Symbol.asyncDispose]()
  assert.equal(existsSync(elsewhere), true)
  await age(16)
  await (await openScratch(shared))[Symbol.asyncDispose]()
  assert.deepEqual(await readdir(shared), ['not-ours'])
})
