import type { Config } from '../config/config.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Tracer } from '../telemetry/trace.ts'

/** Starts tracing if a trace collector is configured. Otherwise, loads no OpenTelemetry code. */
export async function openTracing(config: Config, role: 'api' | 'worker', log: Logger): Promise<Tracer | undefined> {
  const { tracesEndpoint } = config
  if (tracesEndpoint === undefined) return undefined
  const { openTelemetry } = await import('../telemetry/open-telemetry.ts')
  return openTelemetry({ ...config, tracesEndpoint }, role, log)
}
