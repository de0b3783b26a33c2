/**
 * Measures the console's lists with a million requests of one account: `node lab/bench/console.ts [requests]`. Generates
 * rows in the database, and measures responses over HTTP and the largest contentful paint in Chromium.
 */
import { loadavg } from 'node:os'
import { signedIn } from '../support/browser.ts'
import { startService } from '../support/service.ts'
import { paintsOf } from './console-paint.ts'
import { sumUsageDays } from './sum-usage-days.ts'

const requests = Number(process.argv[2] ?? 1_000_000)
const ROUNDS = 40

await using service = await startService({ workers: false })
const { sql, account } = service
await sql.begin(async (tx) => {
  await tx`set local statement_timeout = 0`
  await tx`
    insert into requests (account_id, livemode, endpoint, lane, status, source, input, metadata, turn, price, data, files, error,
      created_at, started_at, completed_at)
    select ${account.id}, n % 5 > 0, 'images/process', 'image', case when n % 9 = 0 then 'failed' else 'succeeded' end,
      'https://example.com/a.jpg', '{"operations":[{"type":"grayscale"}]}', json_build_object('order', (n % 1000)::text), now(),
      2000, case when n % 9 > 0 then '{"width":1,"height":1,"format":"JPEG","size":1}'::json end, '[]', case when n % 9 = 0 then '{"code":"unsupported_media","message":"No."}'::json end,
      t, t, t + interval '1 second'
    from generate_series(1, ${requests}::integer) n, lateral (
      select now() - (${requests}::integer - n) * interval '2 seconds' as t) times`
  await tx`
    insert into request_metadata (account_id, pair, request_id)
    select account_id, ('x' || left(md5(md5(key) || md5(value)), 13))::bit(52)::bigint, id
    from requests, json_each_text(metadata)`
  await tx`
    insert into ledger (account_id, kind, amount, request_id)
    select account_id, 'charge', -2000, id from requests where status = 'succeeded'`
  // With their numbers: the trigger that gives them else writes the account's row a million times in one transaction.
  await tx`
    insert into events (id, account_id, request_id, type, url, status, created_at, sequence)
    select 'evt_' || id, account_id, id, 'request.' || status, 'https://example.com/hook',
      case when id % 50 = 0 then 'undelivered' else 'delivered' end, completed_at, row_number() over (order by id) from requests`
  await tx`update accounts set event_count = ${requests} where id = ${account.id}`
  await sumUsageDays(tx)
})
await sql`vacuum (analyze)`

const browser = await signedIn(service, { kind: 'account', accountId: account.id })
const operator = await signedIn(service, { kind: 'operator' })
const [middle] = await sql<
  { id: number }[]
>`select id from requests order by id offset ${Math.floor(requests / 2)} limit 1`

function show(name: string, times: number[]) {
  times.sort((a, b) => a - b)
  const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(1).padStart(7)
  process.stdout.write(`${name.padEnd(44)} ${at(0.5)} ${at(0.95)} ms\n`)
}

const load = () => loadavg()[0]?.toFixed(1)
process.stdout.write(`${requests} requests; p50 and p95 of ${ROUNDS} answers; load ${load()}\n`)
for (const [who, path] of [
  [browser, '/requests?limit=20'],
  [browser, `/requests?limit=20&before=${middle?.id}`],
  [browser, '/requests?status=failed&livemode=true'],
  [browser, '/requests?metadata[order]=7'],
  [browser, '/overview'],
  [browser, '/events'],
  [browser, '/events?status=undelivered'],
  [browser, '/usage'],
  [browser, '/audit'],
  [operator, '/accounts?search=ada'],
  [operator, '/ledger'],
  [operator, `/ledger?account=${account.id}`],
  [operator, '/revenue'],
  [operator, '/queue'],
  [operator, '/undelivered'],
] as const) {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now()
    const { status } = await who.call('GET', path)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    times.push(performance.now() - start)
  }
  show(path, times)
}

process.stdout.write(`p50 and p95 of the largest paint of pages, with an empty cache; load ${load()}\n`)
const pages = ['/', '/requests', `/requests/${middle?.id}`, '/playground', '/usage']
for await (const { path, times } of paintsOf(service, account.id, pages)) show(path, times)
process.stdout.write(`load ${load()}\n`)
