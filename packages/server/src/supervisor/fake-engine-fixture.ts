import { join } from 'node:path'
import { bareIsolation } from '@mediamill/lab/support/bare-isolation'
import { shared, sharedFolder } from '@mediamill/lab/support/shared'
import pino from 'pino'
import type { EngineHost, EngineHostOptions } from './engine-host.ts'
import { createEngineHost } from './engine-host.ts'
import { openScratch } from './scratch.ts'

export const MIB = 1024 * 1024
export const root = await sharedFolder('mediamill-engines-')
export const scratch = shared(await openScratch(join(root, 'scratch')))

export const startFakeHost = (options: Partial<EngineHostOptions> = {}): EngineHost =>
  createEngineHost({
    name: 'fake-engine',
    entry: join(import.meta.dirname, '../../../../lab/fixtures/engines/fake-engine.ts'),
    concurrency: 1,
    memoryBytes: 512 * MIB,
    cpuMs: 60_000,
    fileBytes: MIB,
    jobsPerProcess: 100,
    isolation: bareIsolation,
    scratch,
    log: pino({ level: 'silent' }),
    ...options,
  })
