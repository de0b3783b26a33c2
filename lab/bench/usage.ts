/**
 * Measures `GET /v1/usage` for 92 days of an account with a million requests, for every group: `node lab/bench/usage.ts
 * [requests] [customers]`. Generates rows in the database, and measures responses over HTTP.
 */
import { startService } from '../support/service.ts'
import { sumUsageDays } from './sum-usage-days.ts'

const requests = Number(process.argv[2] ?? 1_000_000)
const customers = Number(process.argv[3] ?? 200)
const ROUNDS = 9

await using service = await startService({ workers: false })
const { sql, account } = service
await sql.begin(async (tx) => {
  await tx`set local statement_timeout = 0`
  await tx`
    insert into requests (account_id, livemode, endpoint, lane, status, source, input, customer, turn, price,
      source_bytes, result_bytes, created_at, started_at, completed_at)
    select ${account.id}, true, (array['images/process', 'images/read', 'videos/read', 'documents/process'])[1 + n % 4],
      'image', (array['succeeded', 'succeeded', 'succeeded', 'succeeded', 'failed', 'aborted'])[1 + (n / 7) % 6],
      'https://example.com/a.jpg', '{"operations":[{"type":"grayscale"}]}',
      case when n % 10 > 0 then 'customer ' || abs(hashint4(n)) % ${customers}::integer end, now(), 2000, 100000, 50000,
      now() - n % 92 * interval '1 day', now(), now()
    from generate_series(1, ${requests}::integer) n`
  await sumUsageDays(tx)
})
await sql`vacuum (analyze) requests, usage_days`
const [{ sums } = { sums: 0 }] = await sql<{ sums: number }[]>`select count(*) as sums from usage_days`
process.stdout.write(
  `${requests} requests, ${customers} customers, ${sums} rows of sums; median of ${ROUNDS} answers\n`,
)

const from = new Date(Date.now() - 91 * 86_400_000).toISOString().slice(0, 10)
for (const query of [
  'group_by=day',
  'group_by=endpoint',
  'group_by=status',
  'group_by=customer',
  'customer=customer 7',
]) {
  const times: number[] = []
  let rows = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now()
    const { body } = await service.call('GET', `/v1/usage?from=${from}&${query}`)
    times.push(performance.now() - start)
    rows = body.data.length
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0
  process.stdout.write(`${query.padEnd(20)} ${median.toFixed(1).padStart(7)} ms  ${rows} rows\n`)
}
