import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/domain/limits'
import { compilePdfium, OutOfMemory, startPdfium } from './pdfium.ts'
import type { Pdfium } from './pdfium-instance.ts'
import type { Program } from './web-assembly.ts'
import { WebAssembly } from './web-assembly.ts'

/** What PDFium's own memory may grow to: it holds parsed objects and one band of a page, never the file. */
const MAX_HEAP_BYTES = 256 * 1024 * 1024

// A small file leaves 18 MB, the largest of the real ones 220 MB for good.
const KEPT_HEAP_BYTES = 128 * 1024 * 1024

/**
 * The PDFium of an engine process. It is replaced, memory and all, when it gives up and when its memory has grown: a
 * program in WebAssembly can neither be trusted after the one nor shrink after the other.
 */
export class PdfiumKeeper {
  readonly #program: Program
  readonly #maxHeapBytes: number
  #pdfium: Pdfium

  private constructor(program: Program, maxHeapBytes: number, pdfium: Pdfium) {
    this.#program = program
    this.#maxHeapBytes = maxHeapBytes
    this.#pdfium = pdfium
  }

  static async start(maxHeapBytes = MAX_HEAP_BYTES): Promise<PdfiumKeeper> {
    const program = await compilePdfium()
    return new PdfiumKeeper(program, maxHeapBytes, await startPdfium(program, maxHeapBytes))
  }

  /** Works with PDFium, which nothing may keep hold of. Where PDFium gives up, the document is to blame. */
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
        `The document is damaged or too demanding: it needs more than ${formatBytes(this.#maxHeapBytes)} of working memory. Use a simpler document.`,
        { cause: error },
      )
    }
  }

  async #replace(): Promise<void> {
    this.#pdfium = await startPdfium(this.#program, this.#maxHeapBytes)
  }
}
