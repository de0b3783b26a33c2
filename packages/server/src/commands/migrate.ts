import { describeTable, print } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import { prepareDatabase } from '../app/database.ts'
import type { Installation } from '../app/installation.ts'
import { isInstalled, openInstallation } from '../app/installation.ts'
import type { Config } from '../config/config.ts'
import { readConfig } from '../config/config.ts'
import type { IndexProgress } from '../db/index-progress.ts'
import { readIndexProgress } from '../db/index-progress.ts'
import type { PlannedMigration } from '../db/migrate.ts'
import { plannedMigrations, schemaVersion } from '../db/migrate.ts'
import { every } from '../lib/time/every.ts'
import { JSON_FLAG } from './administration/administer.ts'
import { openDatabase } from './open-database.ts'

const PROGRESS_MS = 10_000

const TIMEOUT_MS = 10_000

export function register(program: Command): void {
  program
    .command('migrate')
    .description('Upgrade the database schema to this version before the new processes start.')
    .option('--plan', 'list the migrations that are missing, and change nothing', false)
    .option(...JSON_FLAG, false)
    .addHelpText(
      'after',
      `
Run it as a step of its own before an upgrade. It needs the settings of the service, and uses MIGRATE_DATABASE_URL if it is
set. The service stays available while it runs. Processes that start apply missing migrations too.

Example:
  mediamill migrate --plan`,
    )
    .action(async ({ plan, json }: { plan: boolean; json: boolean }) => {
      const schema = await schemaVersion()
      if (plan) {
        const { missing, progress } = await readPlan(readConfig())
        const plan = { schema, missing: missing.map(presentPlanned), ...(progress && { index_build: progress }) }
        print(json, plan, () => describePlan(schema, missing, progress))
        return
      }
      const applied = await applyAll(readConfig())
      print(json, { schema, applied }, () =>
        applied.length === 0 ? isCurrent(schema) : `The database has schema ${schema} now.`,
      )
    })
}

const isCurrent = (schema: number) => `The database has schema ${schema} already: no migration is missing.`

const presentPlanned = ({ name, inBackground, isDeferred }: PlannedMigration) => ({
  name,
  in_background: inBackground,
  after_start: isDeferred,
})

const describePlan = (schema: number, missing: readonly PlannedMigration[], progress?: IndexProgress): string => {
  if (missing.length === 0) return isCurrent(schema)
  const rows = missing.map(({ name, inBackground, isDeferred }) => [
    name,
    isDeferred
      ? 'during calls: index builds, after the start of a process'
      : inBackground
        ? 'during calls: index builds or batches, may take long'
        : 'in one transaction',
  ])
  const table = describeTable(['MIGRATION', 'RUNS'], rows)
  return progress === undefined ? table : `${table}\nAn index build runs: ${progress.phase}, ${progress.percent} %.`
}

type Plan = { missing: PlannedMigration[]; progress?: IndexProgress | undefined }

async function readPlan(config: Config): Promise<Plan> {
  if (!(await isInstalled(config))) return { missing: await plannedMigrations(undefined) }
  await using database = await openDatabase(config, {
    timeoutMs: TIMEOUT_MS,
    applicationName: 'mediamill command',
    report,
  })
  return { missing: await plannedMigrations(database.sql), progress: await readIndexProgress(database.sql) }
}

async function applyAll(config: Config): Promise<string[]> {
  await using installation: Installation = await openInstallation(config, report)
  const applied: string[] = []
  const ended = new AbortController()
  let running: { name: string; progress: () => Promise<IndexProgress | undefined> } | undefined
  every(PROGRESS_MS, ended.signal, async () => {
    const found = await running?.progress().catch(() => undefined)
    if (running !== undefined && found !== undefined) report(`${running.name}: ${found.phase}, ${found.percent} %`)
  })
  try {
    await prepareDatabase(installation.config, {
      timeoutMs: TIMEOUT_MS,
      onWait: report,
      onStart(name, progress) {
        running = { name, progress }
        report(`${name} started`)
      },
      onApplied(name, durationMs) {
        running = undefined
        applied.push(name)
        report(`${name} applied in ${(durationMs / 1000).toFixed(1)} s`)
      },
    })
  } finally {
    ended.abort()
  }
  return applied
}

const report = (line: string) => void process.stderr.write(`${line}\n`)
