import type { Config } from '../runtime/config/config.ts'
import type { Logger } from '../runtime/telemetry/log.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'

/** Traces what a role does where the settings name a collector. Otherwise nothing of OpenTelemetry is loaded. */
export async function openTracing(config: Config, role: 'api' | 'worker', log: Logger): Promise<Tracer | undefined> {
  const { tracesEndpoint } = config
  if (tracesEndpoint === undefined) return undefined
  const { openTelemetry } = await import('../runtime/telemetry/open-telemetry.ts')
  return openTelemetry({ ...config, tracesEndpoint }, role, log)
}
