import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waits } from './waits.ts'

const root = join(import.meta.dirname, '../..')

export type Run = {
  child: ChildProcess
  out: () => string
  err: () => string
  /** Returns the process ids in the log so far, latest first. */
  pidsOf: (role: 'api' | 'worker') => number[]
  /** The exit code, or the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>
}

/** Runs the service's program. Its environment contains only `settings` and PATH. */
export function run(args: string[], settings: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [join(root, 'packages/server/src/main.ts'), ...args], {
    cwd: root,
    env: { PATH: '/usr/bin:/bin', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)
  const pidsOf = (role: string) =>
    [...out.matchAll(/^\{.*"role":"(\w+)","pid":(\d+).*is ready"\}$/gm)]
      .filter((match) => match[1] === role)
      .map((match) => Number(match[2]))
      .reverse()
  return { child, out: () => out, err: () => err, pidsOf, ended }
}

export async function runCommand(args: string[], settings: Record<string, string>) {
  const ran = run(args, settings)
  const code = await ran.ended
  return { code, stdout: ran.out(), stderr: ran.err() }
}

/** Polls until a condition is true. If the test file exceeds its time limit, the error contains the condition. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const wait = new Error(String(condition))
  waits.add(wait)
  try {
    while (!(await condition())) await delay(20)
  } finally {
    waits.delete(wait)
  }
}

/** Returns a free port outside the ephemeral range, so that Linux never assigns it to outgoing connections. */
export async function freePort(): Promise<number> {
  return await freePortRun(1)
}

/** Returns the first of `length` consecutive free ports. */
export async function freePortRun(length: number): Promise<number> {
  for (;;) {
    // `fetch` rejects port 10080.
    const first = randomInt(10_100, 32_000 - length)
    const ports = Array.from({ length }, (_, index) => first + index)
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return first
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/** Returns whether a server accepts connections. `at` is a port of loopback, or the path of a socket. */
export async function listens(at: number | string): Promise<boolean> {
  const socket = typeof at === 'number' ? connect(at, '127.0.0.1') : connect(at)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
