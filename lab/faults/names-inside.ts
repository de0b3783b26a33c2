import { setTimeout as delay } from 'node:timers/promises'
import type { DnsAnswer } from '../support/dns-server.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { until } from '../support/process.ts'
import type { Finding } from './bench.ts'
import { openBench } from './bench.ts'

/** The duration of the outage. The name server first sends no responses, and then sends errors. */
const AWAY_MS = 60_000
const ANSWERED_MS = 10_500
/** The time in which a request must fail. A download waits 10 s for a name, and is not retried (sources.download.1). */
const ENDED_MS = 30_000

let mode: 'well' | Extract<DnsAnswer, string> = 'well'
await using _dns = await startDnsServer(
  ({ type }) => (mode === 'well' ? (type === 'A' ? ['127.0.0.1'] : []) : mode),
  53,
)
await using bench = await openBench({ apis: 1, workers: 1, named: 'files.test' })
const { accept, call, ended, environment, fleet } = bench
const findings: Finding[] = []
const before = await ended(await accept('small'), 60_000)
const slow = await accept('slow')
// The download of the source starts before the name server fails.
await until(() => environment.fetchesOf('slow') > 0)
const startedAt = performance.now()
const seen: string[] = []
let isKept = before.status === 'succeeded'
for (const how of ['silent', 'SERVFAIL'] as const) {
  mode = how
  const body = { source: environment.sources('small'), operations: [{ type: 'grayscale' }] }
  const response = await call('POST', '/v1/images/process', { body })
  const end = response.body.id === undefined ? undefined : await ended(response.body.id, 60_000)
  seen.push(
    `${how}: ${response.status} in ${response.ms} ms${end ? `, ${end.status} after ${end.ms} ms, ${end.charges} charges` : ''}`,
  )
  isKept &&= response.ms < ANSWERED_MS && [202, 422].includes(response.status)
  isKept &&= end === undefined || (end.status === 'failed' && end.ms < ENDED_MS && end.charges === 0)
  await delay(Math.max(0, AWAY_MS / 2 - (performance.now() - startedAt)))
}
await delay(Math.max(0, AWAY_MS - (performance.now() - startedAt)))
findings.push({
  what: 'a DNS outage: calls get a response within 10 s; requests fail within 30 s and are not charged',
  figure: seen.join('; '),
  kept: isKept,
})
mode = 'well'
const running = await ended(slow, 60_000)
const after = await ended(await accept('small'), 30_000)
findings.push({
  what: 'DNS works again: the next request and the request that ran during the outage succeed',
  figure: `${after.status} after ${after.ms} ms; ${running.status}; ${fleet.unasked.length} unexpected exits`,
  kept: after.status === 'succeeded' && running.status === 'succeeded' && fleet.unasked.length === 0,
})
process.stdout.write(JSON.stringify(findings))
