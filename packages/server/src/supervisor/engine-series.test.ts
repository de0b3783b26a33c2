import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import { bareIsolation } from '@mediamill/lab/support/bare-isolation'
import pino from 'pino'
import type { EngineHost, EngineHostOptions, RecycleReason } from './engine-host.ts'
import { createEngineHost } from './engine-host.ts'
import { isRunning } from './engine-tree.ts'
import type { Series } from './held-engines.ts'
import { openScratch } from './scratch.ts'

const MIB = 1024 * 1024
const root = await mkdtemp(join(tmpdir(), 'mediamill-series-'))
const scratch = await openScratch(join(root, 'scratch'))
after(async () => {
  await scratch[Symbol.asyncDispose]()
  await rm(root, { recursive: true })
})

/** A host whose engines run one job each, like video engines. They stay for a series until another job needs them. */
const startHost = (options: Partial<EngineHostOptions> = {}): EngineHost =>
  createEngineHost({
    name: 'fake-engine',
    entry: join(import.meta.dirname, '../../../../lab/fixtures/engines/fake-engine.ts'),
    kind: 'warm',
    concurrency: 1,
    memoryBytes: 512 * MIB,
    cpuMs: 60_000,
    fileBytes: MIB,
    jobsPerProcess: 1,
    seriesMs: 600_000,
    isolation: bareIsolation,
    scratch,
    log: pino({ level: 'silent' }),
    ...options,
  })

/** Has a host do one job; returns the process id of the engine that did it. */
async function run(host: EngineHost, series?: Series, act = 'progress'): Promise<number> {
  await using folder = scratch.jobFolder()
  const limits = { maxFramePixels: 1e8, maxSourcePixels: 4e8, maxResultBytes: MIB }
  const job: AnyJob = { task: 'images/read', assets: [], parameters: { act }, scratch: folder.path, limits }
  const signal = new AbortController().signal
  const { data } = await host.run(job, { signal, deadlineMs: 20_000, ...(series !== undefined && { series }) })
  return data['pid'] as number
}

const [goesOn, ends] = [
  { id: 1, goesOn: true },
  { id: 1, goesOn: false },
]

test('the jobs of a series are done by one engine, which leaves after the last', async () => {
  await using host = startHost()
  const first = await run(host, goesOn)
  assert.deepEqual([await run(host, goesOn), await run(host, ends)], [first, first])
  assert.notEqual(await run(host, goesOn), first)
})

test('an engine that has seen one request never does a job of another, which does not wait for it', async () => {
  await using host = startHost()
  const first = await run(host, goesOn)
  const second = await run(host, { id: 2, goesOn: true })
  assert.notEqual(second, first)
  assert.ok(!isRunning(first, [first]), 'it is gone before another takes its place')
  const third = await run(host)
  assert.ok(third !== first && third !== second)
})

test('if memory allows, engines stay for several series, and each continues with its own series', async () => {
  await using host = startHost({ concurrency: 2 })
  const first = await run(host, goesOn)
  const second = await run(host, { id: 2, goesOn: true })
  assert.notEqual(second, first)
  assert.deepEqual([await run(host, goesOn), await run(host, { id: 2, goesOn: true })], [first, second])
})

test('an engine without a next job leaves, and a fresh engine replaces it', async () => {
  const recycled = Promise.withResolvers<RecycleReason>()
  await using host = startHost({ seriesMs: 1, onRecycle: (_name, reason) => recycled.resolve(reason) })
  const first = await run(host, goesOn)
  assert.equal(await recycled.promise, 'spent')
  assert.notEqual(await run(host, goesOn), first)
})

test('an engine that is lost while it stays is not asked again', async () => {
  await using host = startHost()
  const first = await run(host, goesOn)
  process.kill(first, 'SIGKILL')
  assert.notEqual(await run(host, goesOn), first)
})
