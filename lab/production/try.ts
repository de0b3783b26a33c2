import { connect } from '@mediamill/server/db/connection/connect'
import { fingerprintOf } from '@mediamill/server/lib/key-fingerprint'
import { MAIN } from '../chaos/fleet.ts'
import type { OldRelease } from '../chaos/release.ts'
import { rollEach } from '../chaos/roll.ts'
import { run } from '../support/process.ts'
import type { Calls } from './calls.ts'
import { startCalls } from './calls.ts'
import type { Production } from './open.ts'
import { SECRET_KEY } from './open.ts'
import { serveRestored, submit } from './serve-restored.ts'

const NEW_KEY = 'the key that replaces the secret key of this machine'

const RELOADS = 3

/** The tasks in the order in which they run. The restore is last, because it stops the fleet. */
export const TASKS = ['upgrade', 'roll', 'rotate', 'add', 'drain', 'reload', 'restore'] as const

export type Task = (typeof TASKS)[number]

type Step = { name: string; run: () => Promise<string> }

type TryOptions = { production: Production; release?: OldRelease | undefined; tasks: readonly Task[] }

const print = (text: string) => void process.stdout.write(`${text}\n`)

/** Runs the tasks while clients call the service. Returns whether each task succeeded and no call failed. */
export async function tryTasks(options: TryOptions): Promise<boolean> {
  const { production, tasks, release } = options
  const calls = startCalls(production)
  if (release === undefined) calls.sendForms()
  try {
    await calls.serveSome()
    print(`process requests: ${calls.done.length} requests succeeded`)
    const steps = stepsOf(options, calls)
    for (const { name, run: runStep } of TASKS.filter((task) => tasks.includes(task)).map((task) => steps[task])) {
      const begunAt = performance.now()
      const outcome = await runStep()
      await calls.serveSome()
      print(`${name}: ${outcome} (${Math.round((performance.now() - begunAt) / 1_000)} s)`)
    }
    await calls.stop()
  } catch (error) {
    print(`FAILED: ${error instanceof Error ? error.message : String(error)}`)
    print(production.proxy.log().split('\n').slice(-20).join('\n'))
    await calls.stop().catch(() => undefined)
    return false
  }
  const unexpected = [...calls.failures, ...production.fleet.unasked]
  for (const line of unexpected) print(`FAILED: ${line}`)
  print(
    `${calls.calls()} calls, ${calls.failures.length} failed. ${calls.done.length} requests and their webhooks arrived.`,
  )
  return unexpected.length === 0
}

function stepsOf({ production, release }: TryOptions, calls: Calls): Record<Task, Step> {
  const { fleet, settings, archived, proxy, heldSource } = production

  async function command(...args: string[]): Promise<string> {
    const running = run(args, settings)
    if ((await running.ended) !== 0) throw new Error(`mediamill ${args.join(' ')}: ${running.err()}`)
    return running.out().trim()
  }

  async function workerOf(pid: number): Promise<string> {
    // The exit code is 1 if `doctor` finds a problem, for example a slow queue.
    const running = run(['doctor', '--fleet', '--json'], settings)
    await running.ended
    const { workers } = JSON.parse(running.out()) as { workers: { id: string; pid: number; state: string }[] }
    const found = workers.find((worker) => worker.pid === pid && worker.state === 'alive')
    if (found === undefined) throw new Error(`doctor --fleet does not list the worker ${pid}`)
    return found.id
  }

  const rollAll = async () =>
    (await Promise.all((['api', 'worker'] as const).map((role) => rollEach(fleet, [role])))).flat()

  const withKeys = async (secretKey: string) => {
    settings['SECRET_KEY'] = secretKey
    await rollAll()
    await calls.serveSome()
  }

  return {
    upgrade: {
      name: `upgrade from ${release?.name}`,
      async run() {
        await command('migrate', '--plan')
        const done = await command('migrate')
        await rollEach(fleet, ['api', 'worker'], MAIN)
        calls.sendForms()
        return done
      },
    },
    roll: {
      name: 'roll both API servers and both workers',
      run: async () => `${(await rollAll()).length} processes were replaced`,
    },
    rotate: {
      name: 'rotate SECRET_KEY',
      async run() {
        await withKeys(`${SECRET_KEY},${NEW_KEY}`)
        await command('key-ring', 'add', fingerprintOf(NEW_KEY))
        await withKeys(`${NEW_KEY},${SECRET_KEY}`)
        const resealed = await command('key-ring', 'reseal')
        // A real operator now waits for RETENTION, until all links that the old key signed have expired.
        calls.forgetLinks()
        await calls.serveSome()
        await command('key-ring', 'retire', fingerprintOf(SECRET_KEY), '--force')
        await withKeys(NEW_KEY)
        return resealed
      },
    },
    add: {
      name: 'add a worker',
      async run() {
        await fleet.add('worker')
        return `${fleet.members.length} processes run`
      },
    },
    drain: {
      name: 'drain a worker',
      async run() {
        const index = fleet.members.filter(({ role }) => role === 'worker').length - 1
        const id = await workerOf(fleet.pidOf('worker', index))
        const drained = fleet.drained('worker', index)
        await command('worker', 'drain', id)
        const code = await drained
        if (code !== 0) throw new Error(`the drained worker ended with ${code}`)
        await fleet.ready()
        return `${id} exited with 0`
      },
    },
    reload: {
      name: 'reload the proxy',
      async run() {
        for (let time = 0; time < RELOADS; time += 1) {
          await proxy.reload()
          await calls.serveSome()
        }
        return `${RELOADS} times`
      },
    },
    restore: {
      name: 'restore to a point in time',
      async run() {
        if (archived === undefined) throw new Error("install the system's PostgreSQL: scripts/install-test-servers.sh")
        // A form that is open at the restore point has no file in the copy.
        calls.stopForms()
        await calls.serveSome()
        const before = [...calls.done]
        const open = await submit(production, production.url, heldSource.url)
        await heldSource.called
        const to = new Date()
        heldSource.release()
        await calls.serveSome()
        const restored = await archived.restore(to)
        const ids = await requestsOf(restored)
        const lost = before.filter((id) => !ids.has(id))
        const late = calls.done.filter((id) => !before.includes(id)).at(-1)
        if (lost.length > 0) throw new Error(`the restored database is missing the requests ${lost.join(', ')}`)
        if (late === undefined || ids.has(late))
          throw new Error('the restored database contains requests from after the restore point')
        const own = { ...settings, DATABASE_URL: restored, DATABASE_LISTEN_URL: '', MIGRATE_DATABASE_URL: '' }
        const checked = run(['restore-check'], own)
        if ((await checked.ended) !== 0) throw new Error(`restore-check: ${checked.out()}${checked.err()}`)
        await calls.stop()
        await fleet.stop()
        return `${ids.size} requests; restore-check finds no problem; ${await serveRestored(production, own, open)}`
      },
    },
  }
}

async function requestsOf(databaseUrl: string): Promise<Set<number>> {
  const sql = connect(databaseUrl, { connections: 1, applicationName: 'production' })
  try {
    const rows = await sql<{ id: number }[]>`select id::integer as id from requests`
    return new Set(rows.map(({ id }) => id))
  } finally {
    await sql.end({ timeout: 5 })
  }
}
