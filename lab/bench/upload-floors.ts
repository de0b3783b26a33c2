import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, createWriteStream, fdatasyncSync, openSync, writevSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

/**
 * Minimal Node.js servers, by their handling of a body: discard it, hash it, write it to the page cache, flush it to disk, or
 * hash and flush it, which is the minimum for an upload. `threaded` does the same as `stored` in another thread, without
 * copying the body.
 */
export const FLOORS = ['bare', 'hashed', 'written', 'kept', 'stored', 'threaded'] as const
type Floor = (typeof FLOORS)[number]

/** Bare servers in a process of their own, by name; they are no service and check nothing. */
export type UploadFloors = Disposable & { pid: number; url: (floor: Floor) => string }

/** Starts the servers on loopback. They write to `folder`. */
export async function startUploadFloors(folder: string): Promise<UploadFloors> {
  const child = fork(import.meta.filename, [folder])
  const port = await new Promise<number>((resolve) => child.once('message', (value) => resolve(Number(value))))
  return {
    pid: child.pid ?? 0,
    url: (floor) => `http://127.0.0.1:${port}/${floor}`,
    [Symbol.dispose]: () => void child.kill(),
  }
}

async function take(call: IncomingMessage, floor: Floor, folder: string): Promise<void> {
  if (floor === 'threaded') return await takeInThread(call, folder)
  const hash = createHash('sha256')
  if (floor === 'hashed' || floor === 'stored') call.on('data', (chunk: Buffer) => void hash.update(chunk))
  if (floor === 'bare' || floor === 'hashed')
    return await new Promise((resolve) => void call.resume().once('end', resolve))
  const path = join(folder, 'floor')
  await pipeline(call, createWriteStream(path, { flush: floor !== 'written', highWaterMark: 1024 * 1024 }))
  hash.digest('hex')
  await rm(path)
}

/** The batch size for the thread, and the limit of pending batches. */
const BATCH_BYTES = 512 * 1024
const BATCHES_AT_ONCE = 8

/** The digest and the writing in a thread: this one receives, and nothing else. */
async function takeInThread(call: IncomingMessage, folder: string): Promise<void> {
  const thread = (keeper ??= new Worker(import.meta.filename, { workerData: folder }))
  const finished = new Promise<void>((resolve) => {
    let waiting = 0
    let isEnd = false
    thread.removeAllListeners('message').on('message', () => {
      waiting -= 1
      if (waiting < BATCHES_AT_ONCE) call.resume()
      if (isEnd && waiting === 0) resolve()
    })
    let chunks: Buffer<ArrayBuffer>[] = []
    let bytes = 0
    const hand = (last: boolean) => {
      // Only a buffer that is alone in its memory may go without a copy.
      const alone = chunks.map((chunk) =>
        chunk.buffer.byteLength === chunk.length ? chunk.buffer : new Uint8Array(chunk).buffer,
      )
      thread.postMessage({ alone, last }, alone)
      ;[chunks, bytes] = [[], 0]
      waiting += 1
      isEnd = last
      if (waiting >= BATCHES_AT_ONCE) call.pause()
    }
    call.on('data', (chunk: Buffer<ArrayBuffer>) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= BATCH_BYTES) hand(false)
    })
    call.once('end', () => hand(true))
  })
  await finished
  await rm(join(folder, 'threaded'))
}

let keeper: Worker | undefined

function keep(folder: string): void {
  let hash = createHash('sha256')
  let file: number | undefined
  parentPort?.on('message', ({ alone, last }: { alone: ArrayBuffer[]; last: boolean }) => {
    file ??= openSync(join(folder, 'threaded'), 'w')
    const chunks = alone.map((memory) => Buffer.from(memory))
    for (const chunk of chunks) hash.update(chunk)
    if (chunks.length > 0) writevSync(file, chunks)
    for (const memory of alone) memory.transfer(0)
    if (last) {
      fdatasyncSync(file)
      closeSync(file)
      file = undefined
      hash.digest('hex')
      hash = createHash('sha256')
    }
    parentPort?.postMessage('')
  })
}

function serve(folder: string): void {
  const server = createServer((call, answer) => {
    take(call, (call.url ?? '').slice(1) as Floor, folder).then(
      () => answer.end('{}'),
      () => answer.destroy(),
    )
  })
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

if (!isMainThread && typeof workerData === 'string') keep(workerData)
else if (process.argv[1] === import.meta.filename && process.argv[2] !== undefined) serve(process.argv[2])
