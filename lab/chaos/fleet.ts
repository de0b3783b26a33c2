import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE } from '@mediamill/server/app/postgres/paths'
import type { RoleMessage } from '@mediamill/server/app/role-message'
import { freePort } from '../support/process.ts'
import { commandOf } from '../support/processes.ts'

export const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

const RESTART_MS = 100

export type RoleName = 'api' | 'worker'

export type FleetOptions = {
  apis: number
  workers: number
  settings: Record<string, string>
  /** The folder of the logs. Each process logs to its own file. */
  logs: string
  settingsOf?: (role: RoleName, index: number) => Record<string, string>
  /** The program of every process until `roll` replaces it (default: the program of this checkout). */
  main?: string | undefined
}

/** The processes of a service. Restarts each process that ends. */
export type Fleet = AsyncDisposable & {
  urls: string[]
  /** The processes. `port` is the port of the API or, for workers, of the metrics. */
  members: readonly Readonly<{ role: RoleName; index: number; port: number }>[]
  add: (role: RoleName) => Promise<void>
  /** Waits until all processes are ready. Includes processes that are being restarted. */
  ready: () => Promise<void>
  isReady: (role: RoleName, index: number) => boolean
  pidOf: (role: RoleName, index: number) => number
  /** From now on, calls `hold` with the id of each new process of this role and index. */
  confine: (role: RoleName, index: number, hold: (pid: number) => void) => void
  /** Kills a process. Returns `false` if the process is being restarted. */
  kill: (role: RoleName, index: number) => boolean
  /** Waits for the exit of a process that an operator drains. The exit is not an error. */
  drained: (role: RoleName, index: number) => Promise<number | null>
  /** Stops a process, and waits for its replacement, which runs `main` if given. Resolves to the exit code. */
  roll: (role: RoleName, index: number, main?: string) => Promise<number | null>
  stop: () => Promise<(number | null)[]>
  unasked: string[]
}

type Member = {
  role: RoleName
  index: number
  port: number
  main: string
  hold?: (pid: number) => void
  child: ChildProcess | undefined
  ended: Promise<number | null>
  ready: PromiseWithResolvers<void>
  isReady: boolean
  /** Whether the fleet itself has killed or stopped the current process. */
  isWanted: boolean
}

/** Starts the processes of a service. They end when this process ends. */
export async function startFleet(options: FleetOptions): Promise<Fleet> {
  await mkdir(options.logs, { recursive: true })
  const unasked: string[] = []
  let closing = false
  const members: Member[] = []
  const keeping: Promise<void>[] = []
  for (let index = 0; index < options.apis; index += 1) await place('api')
  for (let index = 0; index < options.workers; index += 1) await place('worker')

  async function place(role: RoleName): Promise<Member> {
    const port = await freePort()
    const member: Member = {
      role,
      index: members.filter((other) => other.role === role).length,
      port,
      main: members[0]?.main ?? options.main ?? MAIN,
      child: undefined,
      ended: Promise.resolve(null),
      ready: Promise.withResolvers<void>(),
      isReady: false,
      isWanted: false,
    }
    members.push(member)
    keeping.push(keep(member))
    return member
  }

  async function keep(member: Member): Promise<void> {
    const log = createWriteStream(join(options.logs, `${member.role}-${member.index}.log`), { flags: 'a' })
    while (!closing) {
      const startedAt = performance.now()
      member.isWanted = false
      member.ended = runOnce(member, log)
      const code = await member.ended
      // If the process ended before it was ready, keep the promise: it resolves when the next process is ready.
      if (member.isReady) member.ready = Promise.withResolvers<void>()
      member.isReady = false
      if (!member.isWanted) {
        const age = Math.round((performance.now() - startedAt) / 1000)
        unasked.push(`${member.role} ${member.index} ended with ${code} after ${age} s`)
      }
      await delay(RESTART_MS)
    }
    log.end()
  }

  /** Runs a process once, and resolves to its exit code, or to `null` if a signal ended the process. */
  async function runOnce(member: Member, log: NodeJS.WritableStream): Promise<number | null> {
    const port = member.role === 'api' ? { PORT: String(member.port) } : { METRICS_PORT: String(member.port) }
    const child = spawn(process.execPath, [member.main, member.role], {
      env: {
        ...options.settings,
        ...options.settingsOf?.(member.role, member.index),
        ...port,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    member.child = child
    if (child.pid !== undefined) member.hold?.(child.pid)
    child.stdout?.on('data', (chunk: Buffer) => log.write(chunk))
    child.stderr?.on('data', (chunk: Buffer) => log.write(chunk))
    child.on('message', (message: RoleMessage) => {
      if (message.type === 'failed') return void log.write(`${message.message}\n`)
      member.isReady = true
      member.ready.resolve()
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    member.child = undefined
    return code
  }

  function find(role: RoleName, index: number): Member {
    const member = members.find((one) => one.role === role && one.index === index)
    if (member === undefined) throw new RangeError(`there is no ${role} ${index}`)
    return member
  }

  async function end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    member.isWanted = true
    member.child?.kill(signal)
    return await member.ended
  }

  const stop = async () => {
    closing = true
    const codes: (number | null)[] = []
    for (const role of ['worker', 'api'] as const)
      codes.push(...(await Promise.all(members.filter((one) => one.role === role).map((one) => end(one, 'SIGTERM')))))
    await Promise.all(keeping)
    return codes
  }

  return {
    urls: members.filter(({ role }) => role === 'api').map(({ port }) => `http://127.0.0.1:${port}`),
    members,
    add: async (role) => await (await place(role)).ready.promise,
    unasked,
    ready: async () => void (await Promise.all(members.map((member) => member.ready.promise))),
    isReady: (role, index) => find(role, index).isReady,
    pidOf: (role, index) => find(role, index).child?.pid ?? Number.NaN,
    confine(role, index, hold) {
      find(role, index).hold = hold
    },
    kill(role, index) {
      const member = find(role, index)
      if (member.child === undefined) return false
      void end(member, 'SIGKILL')
      return true
    },
    async drained(role, index) {
      const member = find(role, index)
      member.isWanted = true
      const code = await member.ended
      // Let `keep` replace the promise first, so that `ready` waits for the next process.
      await delay(0)
      return code
    },
    async roll(role, index, main) {
      const member = find(role, index)
      member.main = main ?? member.main
      const code = await end(member, 'SIGTERM')
      // `keep` replaces the promise of the ended process in this turn of the event loop, so wait for the next turn.
      await delay(0)
      await member.ready.promise
      return code
    },
    stop,
    async [Symbol.asyncDispose]() {
      closing = true
      for (const member of members) member.child?.kill('SIGKILL')
      await Promise.all(keeping)
    },
  }
}

export function processesOf(folder: string, pattern = /./): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const command = commandOf(pid)
      return command.includes(folder) && pattern.test(command)
    })
}

/** Returns the process ids of the engines and sandbox programs of the workers that use the data folder. */
export const enginesOf = (folder: string) => processesOf(`${folder}/scratch`, /engines\/(?:src\/)?\w+\/main\.[jt]s/)
