import { join } from 'node:path'
import { connect } from '@mediamill/server/db/connection/connect'
import { startFleet } from '../chaos/fleet.ts'
import { countOpen, readRecords } from '../chaos/records.ts'
import { until } from '../support/process.ts'
import type { Production } from './open.ts'

export async function submit({ account, receiver }: Production, url: string, source: string): Promise<number> {
  const response = await fetch(`${url}/v1/images/process`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.liveKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source, operations: [{ type: 'grayscale' }], webhook_url: receiver.url('/hook') }),
  })
  if (response.status !== 202) throw new Error(`the request was not accepted: ${await response.text()}`)
  return ((await response.json()) as { id: number }).id
}

/**
 * Starts processes on a restored database. Checks that they finish its open requests, such as `open`, charge each
 * request once, and send only webhooks that were pending in the copy.
 */
export async function serveRestored(
  production: Production,
  settings: Record<string, string>,
  open: number,
): Promise<string> {
  const { receiver, source, folder } = production
  await using stack = new AsyncDisposableStack()
  const sql = connect(settings['DATABASE_URL'] ?? '', { connections: 1, applicationName: 'production' })
  stack.defer(() => sql.end({ timeout: 5 }))
  const pending = await sql<{ id: number }[]>`
    select id::integer as id from requests where status in ('queued', 'processing')
    union select request_id::integer from events where due_at is not null`
  if (!pending.some(({ id }) => id === open))
    throw new Error(`the request ${open} is not open in the restored database`)
  const from = receiver.received.length
  const fleet = stack.use(await startFleet({ apis: 1, workers: 1, settings, logs: join(folder, 'logs-restored') }))
  await fleet.ready()
  const added = await submit(production, fleet.urls[0] ?? '', source)
  await until(async () => {
    const { requests, events } = await countOpen(sql)
    return requests + events === 0
  })
  const records = await readRecords(sql)
  for (const { id, status, price, charges } of records)
    if (status !== 'succeeded' || charges.join() !== String(price))
      throw new Error(`restored request ${id}: ${status}, price ${price}, charges ${charges.join()}`)
  // A webhook can arrive twice, for example if the response of its receiver is lost.
  const sent = new Set(receiver.received.slice(from).map(({ raw }) => (JSON.parse(raw.toString()) as Event).data.id))
  const expected = new Set([...pending.map(({ id }) => id), added])
  if (sent.symmetricDifference(expected).size > 0)
    throw new Error(`webhooks of the requests ${[...sent].join()} arrived; expected ${[...expected].join()}`)
  return `${records.length} requests are charged once, and the pending webhooks of ${sent.size} requests arrived`
}

type Event = { data: { id: number } }
