/**
 * How soon after a request's end the first attempt to deliver it arrives, while one account's receivers all hang:
 * `node lab/bench/webhooks.ts [hanging] [requests] [per second]`. A real worker process carries real requests of ten other
 * accounts; the time is from the row's `completed_at` to the arrival of the whole post.
 */
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { pileUp } from '../support/deliveries.ts'
import { openAccount, SECRET_KEY } from '../support/line.ts'
import { quarters } from '../support/pictures.ts'
import { until } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { startRole } from '../support/role-process.ts'
import { startService } from '../support/service.ts'
import { startSourceServer } from '../support/source-server.ts'

const [hanging = 1000, requests = 300, perSecond = 20] = process.argv.slice(2).map(Number)

await using sources = await startSourceServer({ '/photo.png': await quarters(40, 30) })
await using silent = await startReceiver(() => undefined)
await using receiver = await startReceiver(204)
const allowed = [sources.host, silent.host, receiver.host]
await using service = await startService({ allowed, workers: false })
const { sql } = service
const accounts = await Promise.all(Array.from({ length: 10 }, () => openAccount(sql)))
await sql`update accounts set requests_per_minute = 100000, concurrent_requests = 1000, balance = 1000000000`
if (hanging > 0) await pileUp(sql, service.account.id, hanging, silent.url())
await using _worker = await startRole('worker', {
  DATABASE_URL: service.databaseUrl,
  SECRET_KEY,
  DATA_DIR: service.dataDir,
  ALLOWED_PRIVATE_HOSTS: allowed.join(','),
})
if (hanging > 0) await silent.arrived(20)

for (let index = 0; index < requests; index += 1) {
  const body = { source: sources.url('/photo.png'), webhook_url: receiver.url() }
  const key = accounts[index % accounts.length]?.liveKey ?? null
  const { status } = await service.call('POST', '/v1/images/read', { key, body })
  if (status !== 202) throw new Error(`a call was answered with ${status}`)
  await delay(1000 / perSecond)
}
await until(() => receiver.received.length >= requests)
const ends = new Map(
  (await sql<{ id: string; at: Date }[]>`select id, created_at as at from events`).map(({ id, at }) => [id, at]),
)
const times = receiver.received
  .map(({ at, headers }) => at - (ends.get(String(headers['webhook-id']))?.getTime() ?? Number.NaN))
  .sort((a, b) => a - b)
const at = (share: number) => `${times[Math.min(times.length - 1, Math.floor(share * times.length))]} ms`
const retried = await sql`select from events where account_id = ${service.account.id} and attempts > 0`
process.stdout.write(
  `${hanging} events whose receivers hang (${silent.received.length} attempts at them), ${requests} others at ${perSecond}/s\n` +
    `first attempt after the end: p50 ${at(0.5)}, p99 ${at(0.99)}, slowest ${at(1)}; load ${loadavg()[0]?.toFixed(1)}\n` +
    `${retried.count} of the hanging have been tried again meanwhile\n`,
)
