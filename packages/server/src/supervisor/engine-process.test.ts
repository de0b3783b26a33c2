import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { EngineJob } from '@mediamill/engines/protocol/messages'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'
import { EngineLost, EngineProcess } from './engine-process.ts'
import { openScratch } from './scratch.ts'

const root = await sharedFolder('mediamill-engine-process-')
const scratch = shared(await openScratch(join(root, 'scratch')))

test('when the call that kills an engine returns, the engine has ended, and a later job for the engine is rejected at once', async () => {
  const args = [join(import.meta.dirname, '../../../../lab/fixtures/engines/fake-engine.ts')]
  await using engine = new EngineProcess({ file: process.execPath, args, environment: {} }, scratch.engineFolder())
  const { pid = 0 } = engine
  await engine.kill()
  assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  await engine.lost
  const grant = () => Promise.resolve({ type: 'granted' as const })
  await assert.rejects(
    engine.sendJob({} as EngineJob, { progress: () => undefined, grant: grant as never }),
    EngineLost,
  )
  assert.equal(engine.jobs, 0)
})
