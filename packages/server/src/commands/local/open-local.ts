import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Planned } from '@mediamill/cli/src/batch/plan-jobs'
import type { LocalRunner } from '@mediamill/cli/src/batch/runner'
import type { Lane } from '@mediamill/contract/domain/request'
import type { EngineParts } from '../../app/engines.ts'
import { engineEntries, openVideoEngines, openWarmEngine } from '../../app/engines.ts'
import { jobLimitsOf } from '../../app/job-limits.ts'
import { environment, readConfig, SECRET_VARIABLES } from '../../config/config.ts'
import type { EngineHost } from '../../supervisor/engine-host.ts'
import { openPrivateFolder } from '../../supervisor/isolation/private-folder.ts'
import { recallSandbox } from '../../supervisor/isolation/verdict.ts'
import { openScratch } from '../../supervisor/scratch.ts'
import { createLog } from '../../telemetry/log.ts'
import { runLocally } from './run-locally.ts'

/** Returns the folder for data that a command stores for later commands (XDG Base Directory Specification). */
const notesFolder = () => join(environment()['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'mediamill')

export async function openLocal(planned: readonly Planned[]): Promise<LocalRunner> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-local-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  // If root runs the command, engines run as another user, which must be able to enter the folder.
  await chmod(folder, 0o711)
  const settings = Object.fromEntries(
    Object.entries(environment()).filter(([name]) => !SECRET_VARIABLES.includes(name)),
  )
  const config = readConfig(settings)
  const log = createLog(settings['LOG_LEVEL'] ?? 'fatal', 'local', process.stderr)
  const scratch = stack.use(await openScratch(join(folder, 'scratch')))
  const notes = await openPrivateFolder(notesFolder())
  const isolation = await recallSandbox({ setting: config.isolation, scratch, entries: engineEntries(), log }, notes)
  const concurrency = Math.min(availableParallelism(), planned.length)
  const limits = jobLimitsOf(config)
  const parts: EngineParts = {
    config: { workerConcurrency: concurrency, warmEngines: 'all' },
    limits,
    scratch,
    isolation,
    log,
  }
  const running = stack.move()
  const engines = lazyEngines(parts, running)
  return {
    concurrency,
    run: (job, options) => runLocally({ engines, scratch, limits, config, notes }, job, options),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function lazyEngines(parts: EngineParts, stack: AsyncDisposableStack): (lane: Lane) => EngineHost {
  const opened = new Map<Lane, EngineHost>()
  const open = (lane: Lane): EngineHost => {
    if (lane === 'image' || lane === 'document') return stack.use(openWarmEngine(lane, parts))
    const videos = stack.use(openVideoEngines(parts))
    opened.set('video', videos.video).set('video_look', videos.video_look)
    return videos[lane]
  }
  return (lane) => {
    const engine = opened.get(lane) ?? open(lane)
    opened.set(lane, engine)
    return engine
  }
}
