import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { EngineLost } from '../engine-process.ts'

/** A process outside the sandbox with the worker's rights. An engine that reaches it could reach the worker. */
type ProbeTarget = AsyncDisposable & {
  /** The process id outside the sandbox. Inside the sandbox, another process may have the same id. */
  pid: number
  /** A secret in the target's environment. A canary that finds the secret can read the target. */
  word: string
  /** Ends the process. Returns whether another process signaled it before. */
  wasSignalled: () => Promise<boolean>
}

// The target exits when its worker exits, because its standard input closes.
const WAIT = 'process.stdin.resume()'

/**
 * SIGHUP kills the target, so its exit shows that the canary's signal arrived. The later SIGTERM never hides a SIGHUP.
 */
export async function startProbeTarget(): Promise<ProbeTarget> {
  const word = randomUUID()
  // libuv resets the signal handlers of each child, so a child does not ignore the signals that the worker ignores.
  const child = spawn(process.execPath, ['-e', WAIT], { env: { WORD: word }, stdio: ['pipe', 'ignore', 'ignore'] })
  const ended = endOf(child)
  ended.catch(() => {})
  await once(child, 'spawn')
  const end = async () => {
    child.kill('SIGTERM')
    return await ended
  }
  return {
    pid: child.pid as number,
    word,
    async wasSignalled() {
      const signal = await end()
      // security check: a canary that signals the worker
      if (signal === 'SIGHUP') return true
      if (signal === 'SIGTERM') return false
      // The target ended before the canary could reach it, so the test proves nothing.
      const lost = new EngineLost('the probe target exited early')
      lost.wasKilled = signal === 'SIGKILL'
      throw lost
    },
    async [Symbol.asyncDispose]() {
      await end()
    },
  }
}

async function endOf(child: ChildProcess): Promise<NodeJS.Signals | null> {
  const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal
}
