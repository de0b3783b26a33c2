import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { compilePdfium, OutOfMemory, startPdfium } from './pdfium.ts'
import type { Pdfium } from './pdfium-instance.ts'
import type { Program } from './web-assembly.ts'
import { WebAssembly } from './web-assembly.ts'

/** The maximum memory of PDFium. It contains parsed objects and a part of a page, but not the file. */
const MAX_HEAP_BYTES = 256 * 1024 * 1024

// The maximum memory to keep after a job. Small files take 18 MB, and large files up to 220 MB.
const KEPT_HEAP_BYTES = 128 * 1024 * 1024

/** Owns a PDFium instance. Replaces it after a crash (unreliable memory), and after growth (memory never shrinks). */
export class PdfiumPool {
  readonly #program: Program
  readonly #maxHeapBytes: number
  #pdfium: Pdfium

  private constructor(program: Program, maxHeapBytes: number, pdfium: Pdfium) {
    this.#program = program
    this.#maxHeapBytes = maxHeapBytes
    this.#pdfium = pdfium
  }

  static async start(maxHeapBytes = MAX_HEAP_BYTES): Promise<PdfiumPool> {
    const program = await compilePdfium()
    return new PdfiumPool(program, maxHeapBytes, await startPdfium(program, maxHeapBytes))
  }

  /** Runs work with the instance. The work must not keep the instance. */
  async run<T>(work: (pdfium: Pdfium) => T): Promise<T> {
    try {
      const result = work(this.#pdfium)
      if (this.#pdfium.heap().length > KEPT_HEAP_BYTES) await this.#replace()
      return result
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof OutOfMemory)) throw error
      await this.#replace()
      throw new RequestFailure(
        'processing_failed',
        `The document is damaged, or it requires more than ${formatBytes(this.#maxHeapBytes)} of working memory. Use a simpler document.`,
        { cause: error },
      )
    }
  }

  async #replace(): Promise<void> {
    this.#pdfium = await startPdfium(this.#program, this.#maxHeapBytes)
  }
}
