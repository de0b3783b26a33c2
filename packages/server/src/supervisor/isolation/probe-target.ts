import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { EngineLost } from '../engine-process.ts'

/** A process outside the sandbox with the worker's rights. An engine that reaches it could reach the worker. */
type ProbeTarget = AsyncDisposable & {
  /** Its id outside the sandbox. The sandbox may have its own process with that id. */
  pid: number
  /** A secret in its environment. A canary that has it can read this process. */
  word: string
  /** Ends the process. Returns whether another process signaled it before. */
  wasSignalled: () => Promise<boolean>
}

// Exits with its worker, because its standard input closes.
const WAIT = 'process.stdin.resume()'

/** SIGHUP kills the target, so its end shows that a signal arrived. SIGTERM comes later and never hides a SIGHUP. */
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
      // No canary could reach a process that had ended before, so the test proves nothing.
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
