import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { EngineLost } from '../engine-process.ts'

/**
 * A process outside all walls that a canary tries to reach.
 *
 * It is of the worker's own user and stands where the worker stands: who reaches the one reaches the other.
 */
export type Bait = AsyncDisposable & {
  /** Its number where the worker is. A sandbox may have a process of its own of that number. */
  pid: number
  /** What its environment alone holds: who can tell it has looked into this process. */
  word: string
  /** Ends it, and tells whether a signal of anybody else had come before. */
  wasSignalled: () => Promise<boolean>
}

// Ends with its worker, whose end of the pipe it sees closed.
const WAIT = 'process.stdin.resume()'

/**
 * Starts a bait.
 *
 * That a signal was sent tells nothing of who got it, so the bait tells: a hang-up kills it, and the kernel keeps the
 * first signal that did. Ours comes later and has a higher number, so a hang-up before it is never missed.
 */
export async function startBait(): Promise<Bait> {
  const word = randomUUID()
  // libuv gives every child the usual answers to signals, whatever the worker was started to ignore.
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
      // wall: a canary that signals the worker
      if (signal === 'SIGHUP') return true
      if (signal === 'SIGTERM') return false
      // One that was gone before could not be reached by anybody.
      const lost = new EngineLost('the bait ended by itself')
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
