import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

/** A role of the service in a process of its own, as an operator would start it. */
export type RoleProcess = AsyncDisposable & {
  child: ChildProcess
  /** Ends it as a crash of the machine would. */
  kill: () => Promise<void>
  /** Sends SIGTERM, and resolves with the exit code. */
  stop: () => Promise<number | null>
}

/** Starts `mediamill NAME` with a channel to it, as `serve` does; it has these settings and no others. */
export function spawnRole(
  name: 'api' | 'worker',
  settings: Record<string, string>,
  { stdout = 'inherit', program = MAIN }: { stdout?: 'inherit' | 'pipe'; program?: string } = {},
): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'fatal', ...settings }
  return spawn(process.execPath, [program, name], { env, stdio: ['ignore', stdout, 'inherit', 'ipc'] })
}

/** Starts `mediamill NAME` and resolves when it is ready; it has these settings and no others. */
export async function startRole(name: 'api' | 'worker', settings: Record<string, string>): Promise<RoleProcess> {
  const child = spawnRole(name, settings)
  const ended = once(child, 'exit')
  await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => {
      throw new Error(`${name} ended with ${code} before it was ready`)
    }),
  ])
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    const [code] = await ended
    return code as number | null
  }
  return {
    child,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL')
    },
  }
}
