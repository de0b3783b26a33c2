import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { EngineLost } from '../engine-process.ts'

/** A process with the worker's rights outside of the sandbox. If an engine reaches it, it could reach the worker. */
type ProbeTarget = AsyncDisposable & {
  /** The process id outside of the sandbox. Inside, another process may have the same id. */
  pid: number
  /** A secret in the environment of the process. If the test engine finds it, it can read other processes. */
  word: string
  /** Ends the process. Returns whether it was signaled before. */
  wasSignalled: () => Promise<boolean>
}

// The process exits with its worker, because its standard input closes.
const WAIT = 'process.stdin.resume()'

/** Starts the process. SIGHUP ends it, so its exit shows whether the test engine's signal arrived. */
export async function startProbeTarget(): Promise<ProbeTarget> {
  const word = randomUUID()
  // libuv resets the signal handlers of a child, so it does not ignore signals that the worker ignores.
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
      // The process ended too early, so the test proves nothing.
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
