import type { Sql } from '../db/connection/connect.ts'
import { connect } from '../db/connection/connect.ts'
import { linksOf } from '../store/link.ts'
import type { Logger } from '../telemetry/log.ts'
import type { Tracer } from '../telemetry/trace.ts'
import type { Deliveries } from '../webhooks/delivery-loop.ts'
import { startDeliveries } from '../webhooks/delivery-loop.ts'
import type { HomeConfig } from './home.ts'
import { networkOf } from './parts.ts'

/** Delivers events on connections of their own, so that deliveries and jobs never wait for each other. */
export async function openDeliveries(
  config: HomeConfig,
  notices: Sql | undefined,
  tracer: Tracer | undefined,
  log: Logger,
): Promise<Deliveries> {
  await using stack = new AsyncDisposableStack()
  const sql = connect(config.databaseUrl, { connections: 3, applicationName: 'mediamill webhooks' })
  stack.defer(async () => await sql.end({ timeout: 5 }))
  const deliveries = await startDeliveries({
    sql,
    notices,
    secretKey: config.secretKey,
    links: linksOf(config),
    network: networkOf(config),
    tracer,
    log,
  })
  let graceMs = 0
  stack.defer(async () => await deliveries.stop(graceMs))
  const running = stack.move()
  return {
    wake: deliveries.wake,
    counts: deliveries.counts,
    async stop(ms) {
      graceMs = ms
      await running.disposeAsync()
    },
  }
}
