import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { LIBRARY } from '../support/faketime.ts'
import { findPrograms } from '../support/postgresql-programs.ts'
import type { Prometheus } from '../support/prometheus.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { whyNo } from '../support/skip-reason.ts'
import type { AlertFault } from './alert-faults.ts'
import { ALERT_FAULTS, repeat } from './alert-faults.ts'
import type { Service } from './alert-service.ts'
import { openService } from './alert-service.ts'
import type { Finding, Scenario } from './bench.ts'
import { soon } from './bench.ts'
import { whyNoMount } from './disks.ts'

/** The divisor of each `for` and range of the rules: 5 minutes become 10 s. Thresholds do not change. */
const FACTOR = 30

const BEFORE_MS = 5_000
const FIRES_MS = 240_000
/** The wait for other alerts. An alert that has been pending for more than half of this time counts as fired. */
const AFTER_MS = 12_000
const HEALTHY_MS = 40_000

/** Checks that each failure fires only its alert. A real Prometheus evaluates the shipped rules. */
export const alerts: Scenario = {
  name: 'alerts',
  missing: () =>
    whyNo('prometheus') ??
    (findPrograms() === undefined ? 'no PostgreSQL of the system is installed' : undefined) ??
    (existsSync(LIBRARY) ? undefined : 'libfaketime is not installed') ??
    whyNoMount(),
  run: async function* ({ alerts: wanted }) {
    await using service = await openService()
    await using traffic = new AsyncDisposableStack()
    repeat(traffic, 2_000, () => service.accept('small', 0))
    repeat(traffic, 500, () => service.call('GET', '/v1/account'))
    if (wanted.test('healthy')) yield await healthy(service)
    for (const fault of ALERT_FAULTS) if (wanted.test(fault.alert)) yield await produce(service, fault)
  },
}

async function healthy(service: Service): Promise<Finding> {
  await service.ready()
  await using prometheus = await startPrometheus(portsOf(service, undefined), FACTOR)
  await delay(HEALTHY_MS)
  const others = await firedOf(prometheus)
  return { what: 'a healthy service fires no alert', figure: `fired: ${list(others)}`, kept: others.length === 0 }
}

async function produce(service: Service, { alert, what, prepare, begin, unscraped }: AlertFault): Promise<Finding> {
  const startedAt = performance.now()
  await service.idle()
  await using undo = new AsyncDisposableStack()
  await prepare?.(service, undo)
  await using prometheus = await startPrometheus(portsOf(service, unscraped), FACTOR)
  await delay(BEFORE_MS)
  await begin?.(service, undo)
  const isFiring = async () =>
    (await prometheus.alerts()).some(({ name, state }) => name === alert && state === 'firing')
  const ms = await soon(isFiring, FIRES_MS)
  await delay(AFTER_MS)
  const fired = await firedOf(prometheus)
  const others = fired.filter((name) => name !== alert)
  await undo.disposeAsync()
  const total = Math.round((performance.now() - startedAt) / 1_000)
  return {
    what: `${alert}: ${what}`,
    figure: `${ms === undefined ? 'did not fire' : `fired after ${Math.round(ms / 1_000)} s`}; others: ${list(others)}; ${total} s`,
    kept: ms !== undefined && others.length === 0,
  }
}

/** Returns the names of the alerts that have fired, or have been pending long enough to fire soon. */
async function firedOf(prometheus: Prometheus): Promise<string[]> {
  const fired = await prometheus.query('count by (alertname) (max_over_time(ALERTS{alertstate="firing"}[1h]))')
  const pending = (await prometheus.alerts()).filter(({ since }) => Date.now() - since.getTime() > AFTER_MS / 2)
  return [...new Set([...fired.map(({ labels }) => labels['alertname'] ?? ''), ...pending.map(({ name }) => name)])]
}

function portsOf({ fleet }: Service, unscraped: AlertFault['unscraped']): number[] {
  const isScraped = ({ role, index }: { role: string; index: number }) =>
    unscraped === undefined || role !== unscraped[0] || index !== unscraped[1]
  return fleet.members.filter(isScraped).map(({ port }) => port)
}

const list = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
