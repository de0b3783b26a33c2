import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineDone, EngineJob } from '@mediamill/engines/protocol/messages'
import type { EngineHost, RunOptions } from '../supervisor/engine-host.ts'
import type { JobContext } from './job-context.ts'
import { runStillOutputs } from './still-outputs.ts'

test('each engine that makes still outputs has the deadline and the result size of its own media type', async () => {
  const runs: unknown[] = []
  const engineFor = (lane: string, done: object) => ({
    async run({ task, limits }: EngineJob, { deadlineMs }: RunOptions) {
      runs.push([lane, task, deadlineMs, limits.maxResultBytes])
      return done as EngineDone
    },
  })
  const drawn = { data: { page: 1 }, files: [{ path: '/drawn', size: 5 }], units: 1 }
  const made = { data: {}, files: [], units: 1 }
  const drawing = engineFor('drawing', drawn) as EngineHost
  // Making outputs uses only these properties of the context.
  // The conversion uses only these properties of the context.
  const context = {
    engines: { video_look: drawing, document: drawing, image: engineFor('image', made) as EngineHost },
    load: { image: 0, video: 0, document: 0, video_look: 0 },
    limits: { deadlineMs: { image: 10, video: 20, document: 20 }, resultBytes: { image: 1, video: 2, document: 2 } },
  } as unknown as JobContext
  for (const task of ['videos/screenshot', 'documents/snapshot'] as const) {
    const parameters = { outputs: [{ name: 'a', format: 'png' }] }
    const job = { task, parameters, limits: { maxResultBytes: 2 } } as Parameters<typeof runStillOutputs>[1]
    const done = await runStillOutputs(context, job, { deadlineMs: 20 } as RunOptions)
    assert.deepEqual(done.data, { page: 1 })
    assert.deepEqual(runs.splice(0), [
      ['drawing', task, 20, 2],
      ['image', 'images/process', 10, 1],
    ])
  }
})
