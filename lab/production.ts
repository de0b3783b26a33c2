/**
 * Starts a production deployment on this machine, until Ctrl-C: `npm run production -- [--try [--short]]`.
 * PostgreSQL, PgBouncer, an S3 server, two API servers, two workers, and HAProxy listen on loopback.
 * - `--try`: does the tasks of an operator while clients call the service. Exits with 1 if a call fails.
 * - `--short`: skips the upgrade, the restore, and the rolling restart.
 * Requires HAProxy and PgBouncer. Without the system's PostgreSQL, skips the restore.
 */
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OldRelease } from './chaos/release.ts'
import { lastRelease, unpackRelease } from './chaos/release.ts'
import type { Production } from './production/open.ts'
import { openProduction } from './production/open.ts'
import type { Task } from './production/try.ts'
import { TASKS, tryTasks } from './production/try.ts'

const { values } = parseArgs({ options: { try: { type: 'boolean' }, short: { type: 'boolean' } } })
const print = (text: string) => void process.stdout.write(`${text}\n`)

await using stack = new AsyncDisposableStack()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(values.try === true ? 1 : 0)))
const release = values.try === true && values.short !== true ? await unpackLast() : undefined
const production = stack.use(await openProduction(release))
print(describe(production))
if (values.try === true)
  process.exitCode = (await tryTasks({ production, release, tasks: tasksOf(production) })) ? 0 : 1
else await new Promise(() => undefined)

function tasksOf({ archived }: Production): Task[] {
  return TASKS.filter((task) => {
    if (task === 'upgrade') return release !== undefined
    if (task === 'restore') return values.short !== true && archived !== undefined
    // The rotation of `SECRET_KEY` restarts all processes three times anyway.
    return task !== 'roll' || values.short !== true
  })
}

async function unpackLast(): Promise<OldRelease | undefined> {
  const last = await lastRelease()
  try {
    execFileSync('git', ['cat-file', '-e', `${last.commit}^{commit}`], { stdio: 'ignore' })
  } catch {
    print('No history here, so the upgrade from an earlier release is not tried.')
    return undefined
  }
  const folder = await mkdtemp(join(tmpdir(), 'mediamill-release-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  return await unpackRelease(last.name, last.commit, folder)
}

function describe({ url, certificate, settings, databaseUrl, fleet, account, folder }: Production): string {
  const lines = [
    ['API, documentation, console', url],
    ['certificate of the proxy', certificate],
    ...fleet.members.map(({ role, index, port }) => [`${role} ${index}`, `http://127.0.0.1:${port}`]),
    ['PgBouncer', settings['DATABASE_URL']],
    ['PostgreSQL', databaseUrl],
    ['object store', settings['STORAGE_URL']],
    ['live key', account.liveKey],
    ['test key', account.testKey],
    ['webhook secret', account.webhookSecret],
    ['SECRET_KEY', settings['SECRET_KEY']],
    ['logs', join(folder, 'logs')],
  ]
  return lines.map(([name = '', value]) => `${name.padEnd(28)} ${value}`).join('\n')
}
