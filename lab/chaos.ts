/**
 * Crashes parts of a service under load, and checks that no request is lost or charged twice. Linux only:
 * `npm run chaos -- [--seed N] [--short] [MODE] [--store s3rver|swift|files] [--requests N] [--seconds N] [--logs
 * FOLDER]`.
 * Without a mode, kills a process every second, the database twice, and lets the store fail for ten seconds.
 * In these modes, clients call HAProxy with `deploy/haproxy.cfg`, and no call may fail:
 * - `--roll`: replaces all processes in turn.
 * - `--upgrade [--from COMMIT]`: upgrades the last release or the commit, rolls it back, and upgrades it again.
 * - `--upgrade --rows N [--data FOLDER]`: upgrades a database with N finished requests while migrations are killed and
 * run in parallel. `--data` keeps the filled database. Copy this folder before another trial.
 * - `--rotate`, `--restore`: run these tasks of `npm run production -- --try`.
 * These modes break parts of the service:
 * - `--failover [--pooled]`: the primary is lost five times, behind a TCP proxy or PgBouncer.
 * - `--bad-store`: 20 % of the calls to the bucket fail, and for some time all calls.
 * - `--clocks`: the clocks of the database and of a worker jump by an hour, with libfaketime.
 * s3rver needs the flag `--openssl-legacy-provider`, because it encrypts the page token of a listing with DES.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OldRelease } from './chaos/release.ts'
import { lastRelease, unpackRelease } from './chaos/release.ts'
import { describeLogs, describeOutcome } from './chaos/report.ts'
import type { TrialOptions } from './chaos/trial.ts'
import { runTrial } from './chaos/trial.ts'
import { openProduction } from './production/open.ts'
import { tryTasks } from './production/try.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    short: { type: 'boolean' },
    roll: { type: 'boolean' },
    rotate: { type: 'boolean' },
    restore: { type: 'boolean' },
    failover: { type: 'boolean' },
    pooled: { type: 'boolean' },
    'bad-store': { type: 'boolean' },
    upgrade: { type: 'boolean' },
    from: { type: 'string' },
    clocks: { type: 'boolean' },
    store: { type: 'string', default: 's3rver' },
    requests: { type: 'string' },
    seconds: { type: 'string' },
    logs: { type: 'string' },
    rows: { type: 'string' },
    data: { type: 'string' },
  },
})

const tasks = (['rotate', 'restore'] as const).filter((task) => values[task] === true)
const size =
  values.short === true
    ? { requests: 100, seconds: 9, killEveryMs: 2_500, databaseEnds: 1, storeFailsSeconds: 3 }
    : { requests: 1_000, seconds: 100, killEveryMs: 1_000, databaseEnds: 2, storeFailsSeconds: 10 }
const failover =
  values.short === true
    ? { requests: 80, seconds: 24, databaseEnds: 2 }
    : { requests: 600, seconds: 100, databaseEnds: 5 }
const badStore = values.short === true ? { requests: 90, seconds: 20 } : { requests: 600, seconds: 100 }
const manner =
  (['failover', 'roll', 'upgrade', 'clocks'] as const).find((name) => values[name] === true) ??
  (values['bad-store'] === true ? 'store' : 'chaos')
const clocks = values.short === true ? { requests: 80, seconds: 24 } : { requests: 600, seconds: 100 }
const upgrade = values.short === true ? { requests: 60, seconds: 30, workers: 2 } : { requests: 600, seconds: 150 }
const releaseFolder = manner === 'upgrade' ? await mkdtemp(join(tmpdir(), 'mediamill-release-')) : undefined
const release = releaseFolder === undefined ? undefined : await unpack(releaseFolder)
const say = (line: string) => void process.stderr.write(`${Math.round(performance.now() / 1_000)} s: ${line}\n`)
const options: TrialOptions = {
  apis: 2,
  workers: 3,
  ...size,
  ...(manner === 'failover' && failover),
  ...(manner === 'store' && badStore),
  ...(manner === 'upgrade' && upgrade),
  ...(manner === 'clocks' && clocks),
  ...(values.requests !== undefined && { requests: Number(values.requests) }),
  ...(values.seconds !== undefined && { seconds: Number(values.seconds) }),
  seed: Number(values.seed ?? Date.now() % 2 ** 31),
  accounts: 20,
  release,
  manner,
  database: values.pooled === true ? 'pooled' : manner === 'failover' || manner === 'clocks' ? 'pair' : 'embedded',
  store: values.store === 'swift' || values.store === 'files' ? values.store : manner === 'clocks' ? 'files' : 's3rver',
  ...(values.rows !== undefined && { history: { rows: Number(values.rows), folder: values.data, say } }),
  say,
}

const print = (text: string) => void process.stdout.write(`${text}\n`)
process.exitCode = (await (tasks.length > 0 ? tryInProduction() : tryOnce())) ? 0 : 1

async function tryInProduction(): Promise<boolean> {
  await using production = await openProduction(undefined)
  return await tryTasks({ production, tasks })
}

async function tryOnce(): Promise<boolean> {
  print(`${options.manner}, seed ${options.seed}: ${options.requests} requests in ${options.seconds} s`)
  const outcome = await runTrial(options, async (logs) => {
    if (values.logs !== undefined) await cp(logs, values.logs, { recursive: true })
    print(await describeLogs(logs))
  })
  print(describeOutcome(outcome))
  const violated = outcome.verdicts.filter(({ violations }) => violations.length > 0).length
  print(violated === 0 ? '\nAll guarantees held.' : `\n${violated} guarantees were violated.`)
  if (releaseFolder !== undefined) await rm(releaseFolder, { recursive: true })
  return violated === 0
}

async function unpack(into: string): Promise<OldRelease> {
  const last = values.from === undefined ? await lastRelease() : { name: values.from, commit: values.from }
  return await unpackRelease(last.name, last.commit, into)
}
