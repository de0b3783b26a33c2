import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

export type RoleProcess = AsyncDisposable & {
  child: ChildProcess
  kill: () => Promise<void>
  /** Sends SIGTERM, and resolves with the exit code. */
  stop: () => Promise<number | null>
}

/** Starts a process with IPC, as `serve` does. The environment is `settings`, PATH, LOG_LEVEL, and WARM_ENGINES. */
export function spawnRole(
  name: 'api' | 'worker',
  settings: Record<string, string>,
  { stdout = 'inherit', program = MAIN }: { stdout?: 'inherit' | 'pipe'; program?: string } = {},
): ChildProcess {
  const env = { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'fatal', WARM_ENGINES: 'none', ...settings }
  return spawn(process.execPath, [program, name], { env, stdio: ['ignore', stdout, 'inherit', 'ipc'] })
}

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
