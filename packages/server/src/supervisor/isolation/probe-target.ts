import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { EngineLost } from '../engine-process.ts'

/** A process outside the sandbox with the worker's rights. If a test program reaches it, engines can reach workers. */
type ProbeTarget = AsyncDisposable & {
  /** The process id outside the sandbox. A process inside the sandbox may have the same id. */
  pid: number
  /** A secret in the environment of the process. A test program that finds it can read other processes. */
  word: string
  /** Ends the process. Returns whether it had received SIGHUP before. */
  wasSignalled: () => Promise<boolean>
}

// When the worker exits, standard input closes, and this process exits too.
const WAIT = 'process.stdin.resume()'

export async function startProbeTarget(): Promise<ProbeTarget> {
  const word = randomUUID()
  // libuv resets the signal handlers of a child. Thus, SIGHUP ends the child even if the worker ignores SIGHUP.
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
      // security check: a probe that signals the worker
      if (signal === 'SIGHUP') return true
      if (signal === 'SIGTERM') return false
      // The process ended before the test was over, so the test proves nothing.
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
