import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Tracer } from '../trace.ts'

/** Traces what a role does, where the settings name a collector; otherwise nothing of OpenTelemetry is loaded. */
export async function openTracing(config: Config, role: 'api' | 'worker', log: Logger): Promise<Tracer | undefined> {
  const { tracesEndpoint } = config
  if (tracesEndpoint === undefined) return undefined
  const { openTelemetry } = await import('./open-telemetry.ts')
  return openTelemetry({ ...config, tracesEndpoint }, role, log)
}
