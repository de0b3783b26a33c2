import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bareIsolation } from '@mediamill/lab/support/bare-isolation'
import pino from 'pino'
import { openScratch } from './scratch.ts'
import { createVideoEngines } from './video-engines.ts'

const MIB = 1024 * 1024

const root = await mkdtemp(join(tmpdir(), 'mediamill-video-engines-'))
const scratch = await openScratch(join(root, 'scratch'))
const engines = createVideoEngines({
  entry: join(import.meta.dirname, '../../../../lab/fixtures/engines/fake-engine.ts'),
  concurrency: 3,
  memoryBytes: 512 * MIB,
  fileBytes: MIB,
  deadlineMs: 600_000,
  sourceMs: 600_000,
  budgetBytes: 1000 * MIB,
  isolation: bareIsolation,
  scratch,
  log: pino({ level: 'silent' }),
})
after(async () => {
  await engines[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
  await rm(root, { recursive: true })
})

async function hold(task: 'videos/process' | 'videos/screenshot', megabytes: number) {
  const folder = scratch.jobFolder()
  const path = join(folder.path, 'source')
  await writeFile(path, '')
  const begun = Promise.withResolvers<void>()
  const stop = new AbortController()
  const state = { hasBegun: false }
  const done = engines[task === 'videos/process' ? 'video' : 'video_look'].run(
    {
      task,
      parameters: { act: 'reserve', bytes: megabytes * MIB },
      input: { path, format: 'MP4', size: 0 },
      assets: [],
      scratch: folder.path,
      limits: { maxFramePixels: 1, maxSourcePixels: 1, maxResultBytes: MIB },
    },
    {
      signal: stop.signal,
      deadlineMs: 60_000,
      onProgress() {
        state.hasBegun = true
        begun.resolve()
      },
    },
  )
  return {
    begun: begun.promise,
    state,
    async end() {
      stop.abort(new Error('the test is over'))
      await assert.rejects(done, /the test is over/)
      await folder[Symbol.asyncDispose]()
    },
  }
}

test('a video that needs more memory than is free waits until another video ends', async () => {
  const first = await hold('videos/process', 500)
  await first.begun
  const second = await hold('videos/process', 500)
  const third = await hold('videos/process', 100)
  // Jobs start in order. The third would fit now, but if small jobs overtook the second, it might never start.
  const look = await hold('videos/screenshot', 100)
  await look.begun
  assert.deepEqual([second.state.hasBegun, third.state.hasBegun], [false, false])
  await first.end()
  await Promise.all([second.begun, third.begun])
  await Promise.all([second.end(), third.end(), look.end()])
})

test('image jobs never wait for the memory or the processes of videos', async () => {
  const made = [await hold('videos/process', 300), await hold('videos/process', 300)]
  await Promise.all(made.map(({ begun }) => begun))
  const waiting = await hold('videos/process', 300)
  const looks = [await hold('videos/screenshot', 200), await hold('videos/screenshot', 40)]
  await Promise.all(looks.map(({ begun }) => begun))
  assert.equal(waiting.state.hasBegun, false)
  await Promise.all([...made, waiting, ...looks].map((job) => job.end()))
})

test('a video that needs more than the whole memory budget runs alone, and its abort frees the memory', async () => {
  const giant = await hold('videos/process', 5000)
  await giant.begun
  const other = await hold('videos/process', 10)
  const look = await hold('videos/screenshot', 10)
  await look.begun
  assert.equal(other.state.hasBegun, false)
  await giant.end()
  await other.begun
  await Promise.all([other.end(), look.end()])
})

test('a worker frees the memory reservation of a killed engine before it retries the job', async () => {
  await using folder = scratch.jobFolder()
  const path = join(folder.path, 'source')
  await writeFile(path, '')
  const limits = { maxFramePixels: 1, maxSourcePixels: 1, maxResultBytes: MIB }
  const parameters = { act: 'reserveAndDieOnce', bytes: 500 * MIB, mark: join(root, 'killed') }
  const input = { path, format: 'MP4', size: 0 } as const
  const job = { task: 'videos/process', parameters, input, assets: [], scratch: folder.path, limits } as const
  const { signal } = new AbortController()
  const { data } = await engines.video.run({ ...job, assets: [] }, { signal, deadlineMs: 20_000 })
  assert.deepEqual(data, { found: 'source' })
})
