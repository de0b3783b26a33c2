/**
 * Measures how long calls wait while each migration changes a large database of an older release:
 * `npm run migration-locks [-- --rows 1000000] [--from session-2] [--folder F] [--reader 2]`.
 * Prints the time that calls waited for locks, and the slowest call. `--from` is a release, or the last migration of
 * the initial database. `--folder` uses the database `many` of `lab/bench/rows.ts --folder`. Use a copy of the folder,
 * because the schema is reverted. `--reader 2` keeps every table open for two seconds at a time, like a report.
 */
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startEmbedded } from '@mediamill/server/app/postgres/embedded'
import { connect } from '@mediamill/server/db/connection/connect'
import { migrate } from '@mediamill/server/db/migrate'
import { filesOf } from '@mediamill/server/db/migration-files'
import type { Release } from '../scripts/release/migrations.ts'
import { fill } from './migration-locks/fill.ts'
import { openReader } from './migration-locks/reader.ts'
import { takeBack } from './migration-locks/take-back.ts'
import type { Seen } from './migration-locks/watch.ts'
import { openWatch } from './migration-locks/watch.ts'

const MAX_MS = 100
const root = join(import.meta.dirname, '..')

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    from: { type: 'string', default: 'session-2' },
    folder: { type: 'string' },
    reader: { type: 'string' },
  },
})

const print = (line: string) => void process.stdout.write(`${line}\n`)
const releases = JSON.parse(await readFile(join(root, 'packages/server/test/releases.json'), 'utf8')) as Release[]
const all = await filesOf(pathToFileURL(`${root}/packages/server/migrations/`))
const names = namesOf(values.from)

const scratch = await mkdtemp(join(tmpdir(), 'mediamill-locks-'))
try {
  const folder = join(scratch, 'migrations')
  await mkdir(folder)
  await cp(join(root, 'packages/server/migrations/instead'), join(folder, 'instead'), { recursive: true })
  const add = async (name: string) => await cp(join(root, 'packages/server/migrations', name), join(folder, name))
  await Promise.all(names.map(add))
  const migrations = pathToFileURL(`${folder}/`)
  const dataDir = values.folder ?? join(scratch, 'data')
  await using database = await startEmbedded(dataDir, { log: () => undefined, temporary: values.folder === undefined })
  await prepare(database.url, migrations)
  await using watch = await openWatch(database.url)
  await using _reader =
    values.reader === undefined ? undefined : openReader(database.url, Number(values.reader) * 1_000)
  report('before', await watch.during(() => delay(5_000)))
  let longest = 0
  for (const name of all.filter((name) => !names.includes(name))) {
    await add(name)
    const seen = await watch.during(() => migrate(database.url, migrations, { onWait: print }))
    report(name, seen)
    longest = Math.max(longest, seen.waitedMs)
  }
  const isKept = longest <= MAX_MS
  print(`longest wait for a lock: ${longest.toFixed(0)} ms (${isKept ? 'kept' : 'BROKEN'}: at most ${MAX_MS} ms)`)
  process.exitCode = isKept ? 0 : 1
} finally {
  // PostgreSQL needs some seconds to stop, and may still create files, so retry.
  await rm(scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
}

function namesOf(from: string): string[] {
  const release = releases.find(({ name }) => name === from)
  if (release !== undefined) return Object.keys(release.migrations)
  if (!all.includes(from)) throw new Error(`there is no release and no migration ${from}`)
  return all.slice(0, all.indexOf(from) + 1)
}

async function prepare(url: string, migrations: URL): Promise<void> {
  const sql = connect(url, { connections: 4, applicationName: 'fill', patient: true })
  try {
    if (values.folder === undefined) {
      await migrate(url, migrations)
      await fill(sql, Number(values.rows))
    } else {
      const startedAt = performance.now()
      const steps = await takeBack(url, migrations, names)
      print(`taken back to ${values.from} by ${steps.length} statements in ${seconds(performance.now() - startedAt)}`)
    }
    const [{ count, size } = { count: 0, size: '' }] = await sql<{ count: number; size: string }[]>`
      select count(*) as count, pg_size_pretty(pg_database_size(current_database())) as size from requests`
    print(`${count} requests with events and charges, at ${values.from}: ${size}`)
    print(
      `${''.padEnd(28)}${['took', 'rounds', 'slowest', 'lock wait', 'blind'].map((head) => head.padStart(12)).join('')}`,
    )
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

function report(name: string, seen: Seen): void {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  const cells = [
    `${seen.seconds.toFixed(1)} s`,
    String(seen.rounds),
    ms(seen.slowestMs),
    ms(seen.waitedMs),
    ms(seen.blindMs),
  ]
  print(`${name.padEnd(28)}${cells.map((cell) => cell.padStart(12)).join('')}`)
}
