import { Worker } from 'node:worker_threads'
import { RequestFailure } from '../../domain/errors.ts'
import { formatBytes } from '../../domain/limits.ts'
import { compilePdfium } from './pdfium.ts'
import type { PdfiumCall, PdfiumReply, PdfiumResults } from './pdfium-calls.ts'
import type { Program } from './web-assembly.ts'

/** What PDFium's own memory may grow to: it holds parsed objects and one band of a page, never the file. */
const MAX_HEAP_BYTES = 256 * 1024 * 1024

// A small file leaves 18 MB, the largest of the real ones 220 MB for good (research: pdf, "Isolation recipe").
const KEPT_HEAP_BYTES = 128 * 1024 * 1024

/** How long PDFium may take for one call: to tell facts, to draw one page, to write a document anew. */
const LIMITS_MS: Record<PdfiumCall['call'], number> = { read: 30_000, draw: 60_000, rewrite: 120_000 }

export type PdfiumThreadOptions = { maxHeapBytes?: number; limitsMs?: Partial<typeof LIMITS_MS> }

/**
 * PDFium in a thread of its own, which is ended and replaced when a call takes too long, when PDFium gives up, and when
 * its memory has grown.
 */
export class PdfiumThread implements AsyncDisposable {
  readonly #program: Program
  readonly #maxHeapBytes: number
  readonly #limitsMs: typeof LIMITS_MS
  #thread: Worker

  private constructor(program: Program, { maxHeapBytes = MAX_HEAP_BYTES, limitsMs }: PdfiumThreadOptions) {
    this.#program = program
    this.#maxHeapBytes = maxHeapBytes
    this.#limitsMs = { ...LIMITS_MS, ...limitsMs }
    this.#thread = this.#start()
  }

  static async start(options: PdfiumThreadOptions = {}): Promise<PdfiumThread> {
    return new PdfiumThread(await compilePdfium(), options)
  }

  /** Has PDFium do one call, alone. Throws `RequestFailure` for all that is the document's fault. */
  async run<Name extends PdfiumCall['call']>(call: Extract<PdfiumCall, { call: Name }>): Promise<PdfiumResults[Name]> {
    const reply = await this.#ask(call)
    if (reply.type === 'broken' || reply.heapBytes > KEPT_HEAP_BYTES) await this.#replace()
    switch (reply.type) {
      case 'done':
        return withBuffers(reply.result) as PdfiumResults[Name]
      case 'failed':
        throw new RequestFailure(reply.error.code, reply.error.message, { cause: reply.cause })
      case 'broken':
        throw tooDemanding(this.#maxHeapBytes, reply)
    }
  }

  async #ask(call: PdfiumCall): Promise<PdfiumReply> {
    const thread = this.#thread
    const limitMs = this.#limitsMs[call.call]
    const { promise, resolve, reject } = Promise.withResolvers<PdfiumReply>()
    const late = setTimeout(() => reject(tooLong(limitMs)), limitMs)
    thread.once('message', resolve).once('error', reject)
    try {
      thread.postMessage(call)
      return await promise
    } catch (error) {
      await this.#replace()
      throw error
    } finally {
      clearTimeout(late)
      thread.off('message', resolve).off('error', reject)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate()
  }

  #start(): Worker {
    const thread = new Worker(new URL('pdfium-work.ts', import.meta.url), {
      workerData: { program: this.#program, maxHeapBytes: this.#maxHeapBytes },
    })
    // While nothing is asked of it, the thread does not keep the process.
    thread.unref()
    return thread
  }

  async #replace(): Promise<void> {
    const old = this.#thread
    this.#thread = this.#start()
    await old.terminate()
  }
}

/** Buffers come over from the thread as plain arrays of bytes. */
function withBuffers<Result extends object>(result: Result): Result {
  const entries = Object.entries(result).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
  ])
  return Object.fromEntries(entries) as Result
}

const tooLong = (limitMs: number) =>
  new RequestFailure(
    'processing_failed',
    `The document is too demanding: one step took longer than ${limitMs / 1000} s, the limit. Use a simpler document.`,
  )

const tooDemanding = (maxHeapBytes: number, { cause }: { cause: string }) =>
  new RequestFailure(
    'processing_failed',
    `The document is damaged or too demanding: it needs more than ${formatBytes(maxHeapBytes)} of working memory. Use a simpler document.`,
    { cause },
  )
