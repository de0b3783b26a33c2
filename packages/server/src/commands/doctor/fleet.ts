import { OperatorError } from '@mediamill/contract/domain/errors'
import { formatCount } from '@mediamill/contract/lib/format-text'
import { isInstalled } from '../../app/installation.ts'
import type { Config } from '../../config/config.ts'
import { readConfig } from '../../config/config.ts'
import type { ApiServerRow } from '../../db/api-servers.ts'
import { listApiServers } from '../../db/api-servers.ts'
import type { Sql } from '../../db/connection/connect.ts'
import type { DeadRows, LaneRow, XminHolder } from '../../db/metrics.ts'
import {
  countDeadRows,
  countEvents,
  countLanes,
  countStuckEvents,
  oldestSnapshot,
  oldestXmins,
  readCleanupLag,
  roleWithoutStats,
} from '../../db/metrics.ts'
import { listSecretKeys } from '../../db/secret-keys.ts'
import type { WorkerRow } from '../../db/workers.ts'
import { listWorkers } from '../../db/workers.ts'
import { versionText } from '../../lib/program-version.ts'
import { missingMigrations, openDatabase } from '../open-database.ts'
import type { Finding } from './finding.ts'
import { fault, good, warning } from './finding.ts'
import { checkKeys } from './keys.ts'

const TIMEOUT_MS = 5_000

/** Above these limits, the command warns. The first four limits are also in deploy/prometheus/alerts.yaml. */
const MAX_SNAPSHOT_SECONDS = 3_600
const MAX_XMIN_TRANSACTIONS = 1_000_000
const MAX_DEAD_ROWS = 1_000_000
const MAX_OVERDUE_SECONDS = 120
const MAX_WAIT_SECONDS = 300
const MAX_CLEANUP_LAG_SECONDS = 600

export type FleetFigures = {
  apiServers: ApiServerRow[]
  keysInUse: string[]
  workers: WorkerRow[]
  lanes: LaneRow[]
  deliveries: { waiting: number; overdueSeconds: number; stuck: number }
  snapshotSeconds: number
  xmins: XminHolder[]
  roleWithoutStats: string | undefined
  deadRows: DeadRows[]
  cleanupLagSeconds: number
}

type Fleet = { figures: FleetFigures | undefined; findings: Finding[] }

export async function examineFleet(config: Config = readConfig()): Promise<Fleet> {
  if (!(await isInstalled(config))) {
    throw new OperatorError(
      `No service has been started in ${config.dataDir}: set DATA_DIR or DATABASE_URL like the service.`,
    )
  }
  await using database = await openDatabase(config, { timeoutMs: TIMEOUT_MS, applicationName: 'mediamill doctor' })
  const { sql } = database
  const missing = await missingMigrations(sql)
  if (missing !== undefined) {
    return { figures: undefined, findings: [fault('database', `${missing} pending`, 'Run mediamill migrate.')] }
  }
  const figures = await readFleet(sql)
  return { figures, findings: [...checkFleet(figures), await checkKeys(sql, database.config)] }
}

async function readFleet(sql: Sql): Promise<FleetFigures> {
  const keys = await listSecretKeys(sql)
  return {
    apiServers: await listApiServers(sql),
    keysInUse: keys.filter(({ retiredAt }) => retiredAt === null).map(({ fingerprint }) => fingerprint),
    workers: await listWorkers(sql),
    lanes: await countLanes(sql),
    deliveries: { ...(await countEvents(sql)), stuck: await countStuckEvents(sql) },
    snapshotSeconds: await oldestSnapshot(sql),
    xmins: await oldestXmins(sql),
    roleWithoutStats: await roleWithoutStats(sql),
    deadRows: await countDeadRows(sql),
    cleanupLagSeconds: await readCleanupLag(sql),
  }
}

function checkFleet(figures: FleetFigures, version = versionText()): Finding[] {
  return [
    checkApiServers(figures.apiServers, figures.keysInUse),
    checkWorkers(figures.workers, figures.lanes),
    checkVersions([...figures.apiServers, ...figures.workers], version),
    checkLanes(figures.lanes),
    checkDeliveries(figures.deliveries),
    checkSnapshot(figures.snapshotSeconds, figures.xmins, figures.roleWithoutStats),
    checkDeadRows(figures.deadRows),
    checkCleanup(figures.cleanupLagSeconds),
  ]
}

function checkApiServers(servers: ApiServerRow[], keysInUse: readonly string[]): Finding {
  const alive = servers.filter((server) => server.alive)
  const lost = servers.filter((server) => !server.alive)
  if (alive.length === 0)
    return fault('API servers', 'no API server is alive', 'Start an API server: until then, calls fail.')
  for (const { address, host, keys } of alive) {
    const missing = keysInUse.find((key) => !keys.includes(key))
    if (missing !== undefined) {
      const remedy = 'Give all processes the same SECRET_KEY, and restart this server.'
      return fault('API servers', `${address} on ${host} lacks the key ${missing}`, remedy)
    }
  }
  const message = `${alive.length} alive on ${formatCount(new Set(alive.map(({ host }) => host)).size, 'host')}`
  if (lost.length === 0) return good('API servers', message)
  const names = lost.map(({ address, host }) => `${address} on ${host}`).join(', ')
  const remedy = 'Look at the last log lines of these servers, and at the memory of their hosts.'
  return warning('API servers', `${message}; lost in the last hour: ${names}`, remedy)
}

function checkWorkers(workers: WorkerRow[], lanes: LaneRow[]): Finding {
  const alive = workers.filter((worker) => worker.alive)
  const lost = workers.filter((worker) => !worker.alive)
  if (alive.length === 0) {
    const remedy = 'Start a worker. Requests are accepted and wait, and webhooks and cleanup wait too.'
    return fault('workers', 'no worker is alive', remedy)
  }
  if (alive.every(({ role }) => role === 'maintenance') && lanes.some(({ queued }) => queued > 0)) {
    const remedy = 'Start a worker that runs jobs, or check the autoscaler.'
    return fault('workers', 'requests wait, and only maintenance workers are alive', remedy)
  }
  const message = `${alive.length} alive on ${formatCount(new Set(alive.map(({ host }) => host)).size, 'host')}`
  if (lost.length === 0) return good('workers', message)
  const hosts = [...new Set(lost.map(({ host }) => host))].join(', ')
  const remedy = 'Look at the last log lines of these workers, and at the memory of their hosts.'
  return warning('workers', `${message}; ${lost.length} lost in the last hour on ${hosts}`, remedy)
}

function checkVersions(processes: { alive: boolean; version: string | null }[], version: string): Finding {
  const alive = processes.filter((one) => one.alive)
  const found = [...new Set(alive.map((one) => one.version ?? 'unknown'))].sort()
  if (found.length === 0) return good('versions', `this program has version ${version}`)
  const message = `processes have version ${found.join(' and ')}; this program has ${version}`
  if (found.length === 1 && found[0] === version) return good('versions', `all processes have version ${version}`)
  return warning('versions', message, 'Finish the upgrade: restart every process with the same version.')
}

function checkLanes(lanes: LaneRow[]): Finding {
  const slow = lanes.filter(({ oldestSeconds }) => oldestSeconds > MAX_WAIT_SECONDS)
  const queued = lanes.reduce((sum, lane) => sum + lane.queued, 0)
  const running = lanes.reduce((sum, lane) => sum + lane.processing, 0)
  const message = `${queued} queued, ${running} processing`
  if (slow.length === 0) return good('lanes', message)
  const waits = slow.map(({ lane, oldestSeconds }) => `${lane} for ${Math.round(oldestSeconds)} s`).join(', ')
  return warning('lanes', `${message}; the oldest request waits in ${waits}`, 'Add workers, or find the busy account.')
}

function checkDeliveries({ waiting, overdueSeconds, stuck }: FleetFigures['deliveries']): Finding {
  const message = `${waiting} waiting, ${stuck} stuck, the most overdue by ${Math.round(overdueSeconds)} s`
  if (stuck > 0) {
    const remedy = 'Give all workers the same SECRET_KEY: see docs/operate/runbooks.md#deliveries-stuck.'
    return fault('deliveries', message, remedy)
  }
  if (overdueSeconds > MAX_OVERDUE_SECONDS) return warning('deliveries', message, 'Add workers: they deliver webhooks.')
  return good('deliveries', message)
}

/**
 * Checks the age of the oldest transaction and snapshots. `blindRole`: the role of the command, if PostgreSQL hides the
 * transactions of other roles from this role.
 */
export function checkSnapshot(seconds: number, xmins: readonly XminHolder[], blindRole?: string): Finding {
  const old = xmins.filter(({ transactions }) => transactions > MAX_XMIN_TRANSACTIONS)
  const message = [
    `the oldest transaction has been open for ${Math.round(seconds)} s`,
    ...old.map(({ holder, transactions }) => `a ${NAMES[holder]} keeps the rows of ${transactions} transactions`),
    ...(blindRole === undefined ? [] : ['transactions of other roles and standbys are hidden']),
  ].join('; ')
  if (seconds <= MAX_SNAPSHOT_SECONDS && old.length === 0) {
    if (blindRole === undefined) return good('snapshot', message)
    const remedy = `As a superuser, run: grant pg_read_all_stats to ${blindRole}`
    return { part: 'snapshot', verdict: 'warning', message, remedy, expected: true }
  }
  return warning('snapshot', message, 'Find the cause: see docs/operate/runbooks.md#old-snapshot.')
}

const NAMES = { slot: 'replication slot', standby: 'standby' } as const

export function checkDeadRows(tables: readonly DeadRows[]): Finding {
  const ordered = tables.toSorted((a, b) => b.rows - a.rows)
  const late = ordered.find(({ rows, autovacuumRows }) => rows > MAX_DEAD_ROWS && rows > 2 * autovacuumRows)
  const shown = late ?? ordered[0]
  if (shown === undefined) return good('dead rows', 'no figures yet')
  const message = `${late === undefined ? 'at most ' : ''}${shown.rows} in a table (${shown.table})`
  if (late === undefined) return good('dead rows', message)
  return warning('dead rows', message, 'Autovacuum does not keep up: see docs/operate/runbooks.md#dead-rows.')
}

function checkCleanup(seconds: number): Finding {
  const message =
    seconds === 0 ? 'no expired result waits' : `the oldest expired result waits for ${Math.round(seconds)} s`
  if (seconds <= MAX_CLEANUP_LAG_SECONDS) return good('cleanup', message)
  return warning('cleanup', message, 'Workers delete results: check that one is alive and that the store responds.')
}
