import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { EngineJob } from '@mediamill/engines/protocol/messages'
import { until } from '@mediamill/lab/support/process'
import { EngineCrashError } from './engine-crash.ts'
import type { EngineHost, RunOptions } from './engine-host.ts'
import { readTree } from './engine-tree.ts'
import { MIB, root, scratch, startFakeHost } from './fake-engine-fixture.ts'

const ONE_SHOT = { jobsPerProcess: 1, startsAhead: false }

type Given = Partial<RunOptions> & { task?: string; parameters?: Record<string, unknown>; maxResultBytes?: number }

async function makeJob(act: string, given: Given = {}): Promise<{ job: EngineJob } & AsyncDisposable> {
  const folder = scratch.jobFolder()
  const path = join(folder.path, 'source')
  await writeFile(path, 'source bytes')
  return {
    job: {
      task: given.task ?? 'images/process',
      input: { path, format: 'PNG', size: 12 },
      assets: [],
      parameters: { ...given.parameters, act },
      scratch: folder.path,
      limits: { maxFramePixels: 1e8, maxSourcePixels: 4e8, maxResultBytes: given.maxResultBytes ?? MIB },
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

const never = new AbortController().signal
const bounds = (given: Given): RunOptions => ({ signal: never, deadlineMs: 20_000, ...given })

async function run(host: EngineHost, act: string, given: Given = {}) {
  await using made = await makeJob(act, given)
  const done = await host.run(made.job, bounds(given))
  return { ...done, pid: done.data['pid'] as number }
}

/** Returns whether the process runs. A zombie does not count as running. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

const isFailure = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof RequestFailure && error.code === code && message.test(error.message)

test('an engine process that was started in advance runs a job, and leaves the result in the job folder', async () => {
  await using host = startFakeHost()
  await using made = await makeJob('finish')
  const { files, units } = await host.run(made.job, bounds({}))
  assert.deepEqual(
    [files.map((file) => [file.path, file.format, file.size]), units],
    [[[join(made.job.scratch, 'result'), 'png', 12]], 1],
  )
  assert.equal(await readFile(join(made.job.scratch, 'result'), 'utf8'), 'source bytes')
  const first = await run(host, 'finish')
  const second = await run(host, 'finish')
  assert.equal(first.pid, second.pid)
})

test("an engine's progress is reported in whole percent and only increases [requests.object.4]", async () => {
  await using host = startFakeHost()
  const seen: number[] = []
  await run(host, 'progress', { onProgress: (percent) => seen.push(percent) })
  assert.deepEqual(seen, [0, 1, 40, 100])
})

test('an expected engine error keeps its code, message, operation, and cause, and the engine process continues', async () => {
  await using host = startFakeHost()
  const { pid } = await run(host, 'finish')
  await assert.rejects(run(host, 'fail'), (error) => {
    assert(error instanceof RequestFailure)
    assert.deepEqual(
      [error.code, error.message, error.operation, error.cause],
      ['unsupported_media', 'Not a picture.', 2, 'at sharp.cc:1'],
    )
    return true
  })
  assert.equal((await run(host, 'finish')).pid, pid)
})

for (const act of ['exit', 'abort', 'throw', 'disconnect']) {
  test(`if an engine ends or disconnects during a job (${act}), the job fails with a clear message, and the next job gets a new process`, async () => {
    await using host = startFakeHost()
    const { pid } = await run(host, 'finish')
    await assert.rejects(
      run(host, act),
      isFailure('processing_failed', /^The file could not be processed: it is damaged/),
    )
    const next = await run(host, 'finish')
    assert.notEqual(next.pid, pid)
    assert.equal(isAlive(pid), false)
  })
}

test('the engine host runs a job in another process if earlier jobs damaged the first process', async () => {
  await using host = startFakeHost()
  const { pid } = await run(host, 'finish')
  const next = await run(host, 'finishUnlessUsed')
  assert.notEqual(next.pid, pid)
  assert.equal((await run(host, 'finish')).pid, next.pid)
})

test('if a new engine process is killed from outside, the engine host repeats its job in a folder that has no files of the first attempt [requests.states.4]', async () => {
  await using host = startFakeHost()
  const { data } = await run(host, 'dieOnce', { parameters: { mark: join(root, 'died') } })
  assert.equal(data['found'], 'source')
})

test('the engine host fails a job after its engine processes are killed three times, and the message names the file as the cause [requests.states.4]', async () => {
  const recycled: string[] = []
  await using host = startFakeHost({ onRecycle: (_engine, reason) => recycled.push(reason) })
  await assert.rejects(
    run(host, 'die'),
    isFailure('processing_failed', /^The file could not be processed: it is damaged/),
  )
  // The next job starts only after the last lost process has been removed.
  await run(host, 'finish')
  assert.deepEqual(recycled, ['lost', 'lost', 'lost'])
})

test('if an idle engine process is killed, it is replaced, and no job fails', async () => {
  await using host = startFakeHost()
  const { pid } = await run(host, 'finish')
  process.kill(pid, 'SIGKILL')
  const pids = await Promise.all([1, 2, 3].map(async () => (await run(host, 'finish')).pid))
  assert.equal(pids.includes(pid), false)
})

for (const detached of [false, true]) {
  const whose = detached ? 'in a new session' : 'in the same group'
  test(`at the deadline, the engine host kills a hanging engine and the child process that it started ${whose}, and the message names the limit [limits.media.1]`, async () => {
    // Without the deadline, the CPU limit would end the job, with another message.
    await using host = startFakeHost({ cpuMs: 15_000 })
    // The deadline includes the start of a process, so start the process before the measured job.
    await run(host, 'finish')
    await using made = await makeJob('hang', { parameters: { detached } })
    await assert.rejects(
      host.run(made.job, bounds({ deadlineMs: 2_000 })),
      isFailure('processing_failed', /longer than 2 s, the limit/),
    )
    const pids = await Promise.all(['own', 'pid'].map((name) => readFile(join(made.job.scratch, name), 'utf8')))
    assert.deepEqual(pids.map(Number).filter(isAlive), [])
  })
}

test('the engine host kills a process that an engine started, even if the engine itself has exited', async () => {
  await using host = startFakeHost()
  await run(host, 'finish')
  await using made = await makeJob('orphan')
  await assert.rejects(host.run(made.job, bounds({ deadlineMs: 2_000 })), isFailure('processing_failed', /longer than/))
  const pid = Number(await readFile(join(made.job.scratch, 'pid'), 'utf8'))
  assert.ok(pid > 0)
  assert.equal(isAlive(pid), false)
})

test('an aborted run rejects with the abort reason after the engine is killed [requests.abort.2]', async () => {
  await using host = startFakeHost()
  const abort = new AbortController()
  const reason = new Error('aborted by its customer')
  await using made = await makeJob('hang')
  await assert.rejects(
    host.run(made.job, bounds({ signal: abort.signal, onProgress: () => abort.abort(reason) })),
    (error) => error === reason,
  )
  assert.equal(isAlive(Number(await readFile(join(made.job.scratch, 'own'), 'utf8'))), false)
  assert.ok((await run(host, 'finish')).pid)
})

test('the engine host stops an engine above its memory limit, and the message names the limit', async () => {
  await using host = startFakeHost({ memoryBytes: 200 * MIB })
  await assert.rejects(run(host, 'hog'), isFailure('processing_failed', /more than 200 MB of memory, the limit/))
  assert.ok((await run(host, 'finish')).pid)
})

test('the engine host stops an engine with many busy threads at its limit of processor time, long before its deadline', async () => {
  await using host = startFakeHost({ cpuMs: 1_000 })
  await assert.rejects(
    run(host, 'burn', { parameters: { threads: 4 }, deadlineMs: 60_000 }),
    isFailure('processing_failed', /more than 1 s of processor time, the limit/),
  )
  assert.ok((await run(host, 'finish')).pid)
})

test('the engine host counts processor time per job, and replaces an engine process that has used much processor time', async () => {
  // On a busy machine, the start of a process may take 500 ms of CPU time, which can count toward its first job.
  await using host = startFakeHost({ cpuMs: 1_500 })
  await run(host, 'finish')
  const pids: number[] = []
  while (pids.at(-1) === pids[0] && pids.length < 30) {
    pids.push((await run(host, 'work', { parameters: { ms: 300 } })).pid)
  }
  assert.ok(pids.length > 6, 'together they used more than one job may')
  assert.notEqual(pids.at(-1), pids[0])
})

test('the engine host stops an engine that starts one process after another, and kills these processes', async () => {
  await using host = startFakeHost(ONE_SHOT)
  await assert.rejects(
    run(host, 'fork', { parameters: { processes: 16 } }),
    isFailure('processing_failed', /^The file could not be processed: it is damaged/),
  )
  assert.deepEqual((await readTree(process.pid)).pids, [process.pid])
})

test('an engine with 16 processes, the maximum, runs until its deadline', async () => {
  await using host = startFakeHost(ONE_SHOT)
  await assert.rejects(
    run(host, 'fork', { parameters: { processes: 15 }, deadlineMs: 1_500 }),
    isFailure('processing_failed', /^Processing took longer than 1\.5 s/),
  )
})

test('the engine host stops an engine that starts a thousand threads', async () => {
  await using host = startFakeHost()
  await assert.rejects(
    run(host, 'threads', { parameters: { threads: 1024 } }),
    isFailure('processing_failed', /^The file could not be processed: it is damaged/),
  )
})

test('the engine host stops an engine that fills the disk with a few files, and the message names the limit', async () => {
  await using host = startFakeHost()
  await assert.rejects(
    run(host, 'fill', { parameters: { files: 3, bytes: MIB } }),
    isFailure('processing_failed', /more than 2 MB in 100 files on disk, the limit/),
  )
})

test('the engine host stops an engine that creates too many files, and the message names the limit', async () => {
  await using host = startFakeHost()
  await assert.rejects(
    run(host, 'litter'),
    isFailure('processing_failed', /more than 2 MB in 100 files on disk, the limit/),
  )
})

test('the engine host replaces an engine process that uses over half of its memory limit after a job, and the job succeeds', async () => {
  await using host = startFakeHost({ memoryBytes: 600 * MIB })
  const { pid } = await run(host, 'finish')
  assert.equal((await run(host, 'keep', { parameters: { bytes: 350 * MIB } })).pid, pid)
  assert.notEqual((await run(host, 'finish')).pid, pid)
})

for (const kept of ['between jobs', 'between jobs of a series']) {
  test(`the engine host stops an engine that fills the disk ${kept}`, async () => {
    await using host = startFakeHost({ jobsPerProcess: kept === 'between jobs' ? 100 : 1, seriesMs: 60_000 })
    const { pid } = await run(host, 'fillWhenIdle', { series: { id: 1, hasMore: true } })
    await until(() => !isAlive(pid))
    assert.notEqual((await run(host, 'finish')).pid, pid)
  })
}

test('the engine host stops an engine that fills the disk between short jobs, even if a job arrives every 200 ms', async () => {
  await using host = startFakeHost()
  const { pid } = await run(host, 'fillWhenIdle')
  for (let jobs = 0; jobs < 20 && isAlive(pid); jobs += 1) {
    await pause(200)
    await run(host, 'finish')
  }
  assert.equal(isAlive(pid), false)
})

test('the engine host replaces an engine process that keeps deleted files open after its job', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux lists open files')
  await using host = startFakeHost()
  const { pid } = await run(host, 'finish')
  assert.equal((await run(host, 'hoard', { parameters: { ms: 300 } })).pid, pid)
  assert.notEqual((await run(host, 'finish')).pid, pid)
})

test('the engine host replaces an engine process after its maximum number of jobs, and reports the reason of each replacement', async () => {
  const recycled: string[] = []
  const onRecycle = (engine: string, reason: string) => void recycled.push(`${engine} ${reason}`)
  await using host = startFakeHost({ jobsPerProcess: 2, onRecycle })
  const pids: number[] = []
  for (let index = 0; index < 4; index += 1) pids.push((await run(host, 'finish')).pid)
  assert.equal(pids[0], pids[1])
  assert.equal(pids[2], pids[3])
  assert.equal(new Set(pids).size, 2)
  assert.deepEqual(recycled, ['fake-engine job_limit', 'fake-engine job_limit'])
  await assert.rejects(run(host, 'disconnect'))
  assert.deepEqual(recycled.slice(2), ['fake-engine lost'])
})

test('a one-shot engine host starts a new process for each job, and starts no process in advance', async () => {
  await using host = startFakeHost(ONE_SHOT)
  assert.deepEqual(await readdir(join(scratch.path, 'engines')), [])
  assert.notEqual((await run(host, 'finish')).pid, (await run(host, 'finish')).pid)
})

const HOSTILE_REPLIES: Record<string, unknown> = {
  'a reply of an unknown type': { type: 'obey' },
  'a file outside the folder': doneWith('/etc/hostname'),
  'a file that does not exist': doneWith('result'),
}

function doneWith(path: string) {
  return { type: 'done', data: {}, files: [{ path, format: 'png', size: 12, sha256: '0'.repeat(64) }], units: 1 }
}

test('an invalid reply of an engine fails the job, and the engine process is replaced', async (t) => {
  await using host = startFakeHost()
  for (const [what, reply] of Object.entries(HOSTILE_REPLIES)) {
    await t.test(what, async () => {
      const { pid } = await run(host, 'finish')
      await assert.rejects(
        run(host, 'say', { parameters: { reply } }),
        isFailure('processing_failed', /^The file could not be processed: it is damaged/),
      )
      assert.notEqual((await run(host, 'finish')).pid, pid)
    })
  }
})

for (const act of ['chatter', 'longLine', 'endlessLine', 'endlessErrors']) {
  test(`if an engine floods the worker with output (${act}), the engine host stops the engine before its deadline`, async () => {
    await using host = startFakeHost()
    await assert.rejects(run(host, act), isFailure('processing_failed', /^The file could not be processed/))
    assert.ok((await run(host, 'finish')).pid)
  })
}

test('the engine host replaces an engine process that sends a second reply to one job', async () => {
  await using host = startFakeHost()
  const { pid } = await run(host, 'sayTwice')
  const next = await run(host, 'finish').catch(() => run(host, 'finish'))
  assert.notEqual(next.pid, pid)
})

for (const act of ['symlinkResult', 'hardLinkResult', 'symlinkFolder']) {
  test(`the engine host rejects a result that leads to a file outside the job folder (${act})`, async () => {
    await using host = startFakeHost()
    const ours = join(root, 'ours')
    await mkdir(ours, { recursive: true })
    await writeFile(join(ours, 'secret'), 'our secret')
    const target = act === 'symlinkFolder' ? ours : join(ours, 'secret')
    // With a wrong size, the size check would reject the result first.
    const size = act === 'symlinkResult' ? target.length : 10
    await assert.rejects(
      run(host, act, { parameters: { target, name: 'secret', size } }),
      isFailure('processing_failed', /^The file could not be processed/),
    )
    assert.equal(await readFile(join(ours, 'secret'), 'utf8'), 'our secret')
  })
}

test('the engine host fails the job if an engine moves the job folder away', async () => {
  await using host = startFakeHost()
  await assert.rejects(run(host, 'removeFolder'), isFailure('processing_failed', /^The file could not be processed/))
})

test('the engine host removes a job folder even if it contains folders without permissions', async () => {
  await using host = startFakeHost()
  await using made = await makeJob('lockFolder')
  await host.run(made.job, bounds({}))
  await made[Symbol.asyncDispose]()
  assert.equal(existsSync(made.job.scratch), false)
})

test('the engine host fails a job whose result is above the size limit with the limit in the message, and accepts a result at the limit [limits.media.1]', async () => {
  await using host = startFakeHost()
  assert.equal((await run(host, 'finish', { maxResultBytes: 12 })).files[0]?.size, 12)
  await assert.rejects(
    run(host, 'finish', { maxResultBytes: 11 }),
    isFailure('processing_failed', /larger than 11 bytes/),
  )
})

test('concurrent jobs never share an engine process', async () => {
  await using host = startFakeHost({ concurrency: 3 })
  await using a = await makeJob('wait')
  await using b = await makeJob('wait')
  await using c = await makeJob('wait')
  const running = [a, b, c].map(({ job }) => {
    const started = Promise.withResolvers<void>()
    return { started, finished: host.run(job, bounds({ onProgress: () => started.resolve() })) }
  })
  await Promise.all(running.map(({ started }) => started.promise))
  const engines = join(scratch.path, 'engines')
  const jobs = await Promise.all((await readdir(engines)).map((engine) => readdir(join(engines, engine))))
  assert.deepEqual(
    jobs.map((names) => names.length),
    [1, 1, 1],
  )
  await release()
  const done = await Promise.all(running.map(({ finished }) => finished))
  assert.equal(new Set(done.map(({ data }) => data['pid'])).size, 3)
})

test('the engine host runs queued jobs in order, and removes a job from the queue if it is aborted', async () => {
  await using host = startFakeHost()
  await using holder = await makeJob('wait')
  const started = Promise.withResolvers<void>()
  const held = host.run(holder.job, bounds({ onProgress: () => started.resolve() }))
  await started.promise
  const abort = new AbortController()
  const order: string[] = []
  await using first = await makeJob('finish', { task: 'first' })
  await using left = await makeJob('finish', { task: 'left' })
  await using second = await makeJob('finish', { task: 'second' })
  await using third = await makeJob('finish', { task: 'third' })
  const [leaving, ...staying] = [left, first, second, third].map(async ({ job }) => {
    await host.run(job, bounds(job.task === 'left' ? { signal: abort.signal } : {}))
    order.push(job.task)
  })
  abort.abort(new Error('no longer wanted'))
  await assert.rejects(leaving ?? Promise.resolve(), /no longer wanted/)
  await release()
  await Promise.all([held, ...staying])
  assert.deepEqual(order, ['first', 'second', 'third'])
})

async function release(): Promise<void> {
  const engines = join(scratch.path, 'engines')
  for (const engine of await readdir(engines)) {
    for (const job of await readdir(join(engines, engine))) await writeFile(join(engines, engine, job, 'go'), '')
  }
}

test('failing to start an engine is an error of the service, not of the job', async () => {
  const recycled: string[] = []
  await using host = startFakeHost({
    entry: join(root, 'missing.ts'),
    onRecycle: (_engine, reason) => recycled.push(reason),
  })
  await assert.rejects(run(host, 'finish'), (error) => error instanceof EngineCrashError && !error.hasReceivedJob)
  assert.deepEqual(recycled.slice(0, 2), ['lost', 'lost'], 'others were tried')
})

test('closing the engine host ends running jobs, and leaves no process and no folder', async () => {
  const host = startFakeHost({ concurrency: 2 })
  await using made = await makeJob('hang')
  const started = Promise.withResolvers<void>()
  const running = host.run(made.job, bounds({ onProgress: () => started.resolve() }))
  const ended = assert.rejects(running, /the engine host was closed/)
  await started.promise
  await host[Symbol.asyncDispose]()
  await ended
  assert.equal(isAlive(Number(await readFile(join(made.job.scratch, 'own'), 'utf8'))), false)
  assert.deepEqual(await readdir(join(scratch.path, 'engines')), [])
  await assert.rejects(run(host, 'finish'), /closed/)
})

test('the usage of an engine host includes the CPU time of ended processes, and the highest memory use of one process', async () => {
  await using host = startFakeHost({ jobsPerProcess: 1, startsAhead: false })
  assert.deepEqual(await host.usage(), { cpuSeconds: 0, memoryBytes: 0, peakBytes: 0 })
  const stop = new AbortController()
  const running = run(host, 'hang', { signal: stop.signal })
  running.catch(() => {})
  await until(async () => (await host.usage()).cpuSeconds > 0)
  const during = await host.usage()
  assert.ok(during.memoryBytes > 10 * MIB, String(during.memoryBytes))
  stop.abort(new Error('stopped'))
  await assert.rejects(running, /stopped/)
  await until(async () => (await host.usage()).memoryBytes === 0)
  const after = await host.usage()
  assert.ok(after.cpuSeconds >= during.cpuSeconds, `${after.cpuSeconds} of ${during.cpuSeconds}`)
  assert.ok(after.peakBytes >= during.memoryBytes)
  const { pid } = await run(host, 'finish')
  await until(() => !isAlive(pid))
  const { cpuSeconds, memoryBytes } = await host.usage()
  assert.ok(cpuSeconds > after.cpuSeconds)
  assert.equal(memoryBytes, 0)
})
