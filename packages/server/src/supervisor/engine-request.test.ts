import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { EngineCall } from '@mediamill/engines/protocol/messages'
import type { RunOptions } from './engine-host.ts'
import { MIB, scratch, startFakeHost } from './fake-engine-fixture.ts'

async function say(reply: unknown, options: Partial<RunOptions>, act = 'say'): Promise<unknown> {
  await using host = startFakeHost({ startsAhead: false, jobsPerProcess: 1 })
  await using folder = scratch.jobFolder()
  const path = join(folder.path, 'source')
  await writeFile(path, 'source bytes')
  const job = {
    task: 'videos/read',
    input: { path, format: 'MP4' as const, size: 12 },
    assets: [],
    parameters: { act, reply },
    scratch: folder.path,
    limits: { maxFramePixels: 1e8, maxSourcePixels: 4e8, maxResultBytes: MIB },
  }
  return await host.run(job, { signal: new AbortController().signal, deadlineMs: 20_000, ...options })
}

test("the engine host passes an engine's request to the worker; if the worker throws an error, the job fails", async () => {
  const asked: EngineCall[] = []
  const failure = new RequestFailure('source_unreachable', 'The source could not be downloaded: it changed.')
  const onCall = (request: EngineCall) => {
    asked.push(request)
    return Promise.reject(failure)
  }
  await assert.rejects(say({ type: 'read', offset: 5, length: 7 }, { onCall }), failure)
  await assert.rejects(say({ type: 'reserve', bytes: 9 }, { onCall }), failure)
  assert.deepEqual(asked, [
    { type: 'read', offset: 5, length: 7 },
    { type: 'reserve', bytes: 9 },
  ])
})

test('the engine host stops an engine that sends a request in a job that allows no requests', async () => {
  const lost = say({ type: 'read', offset: 0, length: 1 }, {})
  // The engine gets no reply. With a reply, the job would end at its deadline, with another message.
  await assert.rejects(lost, { code: 'processing_failed', message: /^The file could not be processed/ })
})

test('the engine host stops an engine that sends two requests at the same time', async () => {
  const asked = Promise.withResolvers<void>()
  // The first request is not granted, so that the second request arrives before a reply to the first.
  const onCall = () => asked.promise
  const lost = say({ type: 'reserve', bytes: 9 }, { onCall }, 'sayAgain')
  await assert.rejects(lost, { code: 'processing_failed', message: /^The file could not be processed/ })
  asked.resolve()
})
