import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyJob } from '@mediamill/engines/protocol/messages'
import { bareIsolation } from '@mediamill/lab/support/bare-isolation'
import { until } from '@mediamill/lab/support/process'
import type { EngineHostOptions, RecycleReason } from './engine-host.ts'
import { isRunning } from './engine-tree.ts'
import { MIB, scratch, startFakeHost } from './fake-engine-fixture.ts'

function startHost(options: Partial<EngineHostOptions> = {}) {
  const recycled = Promise.withResolvers<RecycleReason>()
  const starts = { count: 0 }
  const host = startFakeHost({
    idleMs: 1,
    isolation: {
      ...bareIsolation,
      command(...given) {
        starts.count += 1
        return bareIsolation.command(...given)
      },
    },
    onRecycle: (_name, reason) => recycled.resolve(reason),
    ...options,
  })
  return { host, starts, recycled: recycled.promise, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() }
}

async function run({ host }: Pick<ReturnType<typeof startHost>, 'host'>): Promise<number> {
  await using folder = scratch.jobFolder()
  const limits = { maxFramePixels: 1e8, maxSourcePixels: 4e8, maxResultBytes: MIB }
  const parameters = { act: 'progress' }
  const job: AnyJob = { task: 'images/read', assets: [], parameters, scratch: folder.path, limits }
  const { data } = await host.run(job, { signal: new AbortController().signal, deadlineMs: 20_000 })
  return data['pid'] as number
}

test('an idle engine exits after the idle time, and the next job gets another engine', async () => {
  const reasons: RecycleReason[] = []
  await using hosted = startHost({ onRecycle: (_name, reason) => void reasons.push(reason) })
  const first = await run(hosted)
  await until(() => !isRunning(first, [first]))
  const second = await run(hosted)
  assert.notEqual(second, first)
  assert.deepEqual(new Set(reasons), new Set(['idle']))
})

test('a job that arrives while an engine exits runs on another engine', async () => {
  const pids: Promise<number>[] = []
  const both = Promise.withResolvers<void>()
  const onRecycle = () => {
    if (pids.length === 2) return
    pids.push(run(hosted))
    if (pids.length === 2) both.resolve()
  }
  await using hosted = startHost({ onRecycle })
  await both.promise
  const [first, second] = await Promise.all(pids)
  assert.notEqual(first, second)
})

test('an engine that has run no job stays alive while idle, and runs the first job even much later', async () => {
  await using kept = startHost({ keep: 1 })
  await using left = startHost({ keep: 0 })
  // `left` started later with the same idle limit. When its engine exits, the engine of `kept` could have exited too.
  assert.equal(await left.recycled, 'idle')
  await run(kept)
  assert.equal(kept.starts.count, 1)
})

test('the engine host replaces an idle engine that has run jobs with a new engine, which frees memory', async () => {
  await using hosted = startHost({ keep: 1 })
  const worked = await run(hosted)
  assert.equal(await hosted.recycled, 'idle')
  await until(() => hosted.starts.count === 2)
  assert.notEqual(await run(hosted), worked)
})

test('idle engines stay alive if no idle time is set', async () => {
  await using staying = startHost({ idleMs: undefined })
  const worked = await run(staying)
  await using left = startHost()
  await left.recycled
  assert.equal(await run(staying), worked)
})

test('if the engine host is set not to start engines in advance, it starts an engine only for a job', async () => {
  await using hosted = startHost({ startsAhead: false })
  // `early` started later, and its engine already became idle. Thus, `hosted` also had time to start an engine.
  await using early = startHost()
  await early.recycled
  assert.equal(hosted.starts.count, 0)
  await run(hosted)
  assert.equal(await hosted.recycled, 'idle')
  await using later = startHost()
  await later.recycled
  assert.equal(hosted.starts.count, 1)
})
