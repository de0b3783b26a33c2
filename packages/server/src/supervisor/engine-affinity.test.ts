import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import type { JobSeries } from './engine-affinity.ts'
import type { EngineHost, EngineHostOptions, RecycleReason } from './engine-host.ts'
import { isRunning } from './engine-tree.ts'
import { MIB, scratch, startFakeHost } from './fake-engine-fixture.ts'

const startHost = (options: Partial<EngineHostOptions> = {}): EngineHost =>
  startFakeHost({ jobsPerProcess: 1, seriesMs: 600_000, ...options })

async function run(host: EngineHost, series?: JobSeries, act = 'progress'): Promise<number> {
  await using folder = scratch.jobFolder()
  const limits = { maxFramePixels: 1e8, maxSourcePixels: 4e8, maxResultBytes: MIB }
  const job: AnyJob = { task: 'images/read', assets: [], parameters: { act }, scratch: folder.path, limits }
  const signal = new AbortController().signal
  const { data } = await host.run(job, { signal, deadlineMs: 20_000, ...(series !== undefined && { series }) })
  return data['pid'] as number
}

const [hasMore, ends] = [
  { id: 1, hasMore: true },
  { id: 1, hasMore: false },
]

test('one engine runs all jobs of a request, and exits after the last job', async () => {
  await using host = startHost()
  const first = await run(host, hasMore)
  assert.deepEqual([await run(host, hasMore), await run(host, ends)], [first, first])
  assert.notEqual(await run(host, hasMore), first)
})

test('an engine never runs jobs of two requests: a second request gets another engine without waiting', async () => {
  await using host = startHost()
  const first = await run(host, hasMore)
  const second = await run(host, { id: 2, hasMore: true })
  assert.notEqual(second, first)
  assert.ok(!isRunning(first, [first]), 'it is gone before another takes its place')
  const third = await run(host)
  assert.ok(third !== first && third !== second)
})

test('if memory allows, several engines stay alive, and each continues with the jobs of its own request', async () => {
  await using host = startHost({ concurrency: 2 })
  const first = await run(host, hasMore)
  const second = await run(host, { id: 2, hasMore: true })
  assert.notEqual(second, first)
  assert.deepEqual([await run(host, hasMore), await run(host, { id: 2, hasMore: true })], [first, second])
})

test('an engine at its job limit exits if the next job of its request does not arrive in time, and a new engine replaces it', async () => {
  const recycled = Promise.withResolvers<RecycleReason>()
  await using host = startHost({ seriesMs: 1, onRecycle: (_name, reason) => recycled.resolve(reason) })
  const first = await run(host, hasMore)
  assert.equal(await recycled.promise, 'job_limit')
  assert.notEqual(await run(host, hasMore), first)
})

test('if an engine dies while it is reserved for the jobs of one request, the next job runs on another engine', async () => {
  await using host = startHost()
  const first = await run(host, hasMore)
  process.kill(first, 'SIGKILL')
  assert.notEqual(await run(host, hasMore), first)
})
