import { describeTable, describeTime, print } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import type { WorkerRow } from '../db/workers.ts'
import { JSON_FLAG } from './administration/administer.ts'
import { describeFinding } from './doctor/describe-finding.ts'
import { isProblem, presentFinding } from './doctor/finding.ts'
import type { FleetFigures } from './doctor/fleet.ts'

export function register(program: Command): void {
  program
    .command('doctor')
    .description('Check that this machine can run the service, and suggest fixes.')
    .option('--fleet', 'check the processes on the database instead of this machine', false)
    .option(...JSON_FLAG, false)
    .addHelpText(
      'after',
      `
It reads the settings of mediamill serve and changes nothing. The exit code is 1 if an error prevents the service
from working, and 0 if there are only warnings. With --fleet, it lists API servers, workers, and lanes, and the
exit code is 1 if any check fails. An unfinished rotation of SECRET_KEY, and a role without
pg_read_all_stats, are only warnings.

Example:
  mediamill doctor --fleet`,
    )
    .action(async ({ json, fleet }: { json: boolean; fleet: boolean }) => {
      if (fleet) return await printFleet(json)
      const { examine } = await import('./doctor/examine.ts')
      const findings = await examine()
      print(json, { findings: findings.map(presentFinding) }, () => findings.map(describeFinding).join('\n'))
      if (findings.some(({ verdict }) => verdict === 'fault')) process.exitCode = 1
    })
}

async function printFleet(json: boolean): Promise<void> {
  const { examineFleet } = await import('./doctor/fleet.ts')
  const { figures, findings } = await examineFleet()
  const lines = findings.map(describeFinding).join('\n')
  print(json, { findings: findings.map(presentFinding), ...(figures && presentFigures(figures)) }, () =>
    figures === undefined ? lines : `${describeFigures(figures)}\n\n${lines}`,
  )
  if (findings.some(isProblem)) process.exitCode = 1
}

function describeFigures({ apiServers, workers, lanes }: FleetFigures): string {
  const serverTable = describeTable(
    ['API SERVER', 'HOST', 'PID', 'VERSION', 'SCHEMA', 'KEYS', 'STATE', 'SEEN'],
    apiServers.map((server) => [
      server.address,
      server.host,
      String(server.pid),
      server.version,
      String(server.schema),
      server.keys.join(','),
      server.alive ? 'alive' : 'lost',
      describeTime(server.seenAt),
    ]),
  )
  const workerTable = describeTable(
    ['WORKER', 'HOST', 'PID', 'ROLE', 'VERSION', 'STATE', 'RUNNING', 'SEEN'],
    workers.map((worker) => [
      worker.id,
      worker.host,
      worker.pid === null ? 'unknown' : String(worker.pid),
      worker.role ?? 'jobs',
      worker.version ?? 'unknown',
      stateOf(worker),
      String(worker.running + worker.parts),
      describeTime(worker.seenAt),
    ]),
  )
  const laneTable = describeTable(
    ['LANE', 'QUEUED', 'OLDEST', 'PROCESSING'],
    lanes.map(({ lane, queued, oldestSeconds, processing }) => [
      lane,
      String(queued),
      `${Math.round(oldestSeconds)} s`,
      String(processing),
    ]),
  )
  return [serverTable, workerTable, laneTable].join('\n\n')
}

const stateOf = ({ alive, drainingAt }: WorkerRow) => (alive ? (drainingAt === null ? 'alive' : 'draining') : 'lost')

const presentFigures = ({ apiServers, workers, lanes, deliveries, deadRows, xmins, ...seconds }: FleetFigures) => ({
  api_servers: apiServers.map(({ alive, startedAt, seenAt, ...server }) => ({
    ...server,
    state: alive ? 'alive' : 'lost',
    started_at: startedAt.toISOString(),
    seen_at: seenAt.toISOString(),
  })),
  workers: workers.map((worker) => ({
    id: worker.id,
    host: worker.host,
    pid: worker.pid,
    role: worker.role ?? 'jobs',
    version: worker.version,
    state: stateOf(worker),
    running: worker.running + worker.parts,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
  })),
  lanes: lanes.map(({ lane, queued, oldestSeconds, processing }) => ({
    lane,
    queued,
    oldest_seconds: oldestSeconds,
    processing,
  })),
  deliveries: {
    waiting: deliveries.waiting,
    overdue_seconds: deliveries.overdueSeconds,
    stuck: deliveries.stuck,
  },
  dead_rows: Object.fromEntries(deadRows.map(({ table, rows }) => [table, rows])),
  autovacuum_rows: Object.fromEntries(deadRows.map(({ table, autovacuumRows }) => [table, autovacuumRows])),
  oldest_snapshot_seconds: seconds.snapshotSeconds,
  oldest_xmin_transactions: Object.fromEntries(xmins.map(({ holder, transactions }) => [holder, transactions])),
  cleanup_lag_seconds: seconds.cleanupLagSeconds,
})
