import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/**
 * What a bare server of Node does with a body: throws it away, hashes it, or hashes it and has it on the disk before it
 * answers, which is the least that an upload asks for.
 */
export const FLOORS = ['bare', 'hashed', 'stored'] as const

/** Bare servers in a process of their own, by name; they are no service and check nothing. */
export type UploadFloors = Disposable & { pid: number; url: (floor: (typeof FLOORS)[number]) => string }

/** Starts them on loopback; `stored` writes into `folder`. */
export async function startUploadFloors(folder: string): Promise<UploadFloors> {
  const child = fork(import.meta.filename, [folder])
  const port = await new Promise<number>((resolve) => child.once('message', (value) => resolve(Number(value))))
  return {
    pid: child.pid ?? 0,
    url: (floor) => `http://127.0.0.1:${port}/${floor}`,
    [Symbol.dispose]: () => void child.kill(),
  }
}

async function take(call: IncomingMessage, folder: string): Promise<void> {
  const hash = createHash('sha256')
  if (call.url !== '/bare') call.on('data', (chunk: Buffer) => void hash.update(chunk))
  if (call.url !== '/stored') return await new Promise((resolve) => void call.resume().once('end', resolve))
  const path = join(folder, 'floor')
  await pipeline(call, createWriteStream(path, { flush: true, highWaterMark: 1024 * 1024 }))
  hash.digest('hex')
  await rm(path)
}

function serve(folder: string): void {
  const server = createServer((call, answer) => {
    take(call, folder).then(
      () => answer.end('{}'),
      () => answer.destroy(),
    )
  })
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

if (process.argv[1] === import.meta.filename && process.argv[2] !== undefined) serve(process.argv[2])
