import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init } from '@embedpdf/pdfium'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { useFallbackFonts } from '../fonts/fallback-fonts.ts'
import type { Pdfium, Runtime } from './pdfium-instance.ts'

/** The maximum memory of PDFium. The memory contains parsed objects and a part of a page, but not the file. */
const MAX_HEAP_BYTES = 256 * 1024 * 1024

// The maximum memory to keep after a job. Only large files need more.
const KEPT_HEAP_BYTES = 128 * 1024 * 1024

/**
 * Runs jobs with one PDFium instance. Replaces the instance after a crash, because its memory is unreliable, and after
 * growth, because memory never shrinks.
 */
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

  /** Runs `work` with the instance. `work` must not keep the instance. */
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

class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}

/** Compiles PDFium. Each pool compiles only once, because starting an instance of the compiled program is fast. */
function compilePdfium(): Promise<Program> {
  return WebAssembly.compile(readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'))))
}

/**
 * Starts an instance. The instance fails if it requests more than `maxBytes`. Emscripten can reserve a fifth more than
 * PDFium requests.
 */
async function startPdfium(program: Program, maxBytes: number): Promise<Pdfium> {
  let memory: Instance['exports']['memory'] | undefined
  const overrides = {
    // An empty binary prevents a download. `instantiateWasm` passes the compiled program.
    wasmBinary: new Uint8Array(),
    instantiateWasm(imports: ProgramImports, done: (instance: Instance) => void) {
      capGrowth(imports, maxBytes)
      const instance = new WebAssembly.Instance(program, imports)
      memory = instance.exports.memory
      done(instance)
      return instance.exports
    },
    print: () => {},
    printErr: () => {},
  }
  const api = await init(overrides as Parameters<typeof init>[0])
  // Without `@types/emscripten`, the types of the package do not contain the functions of Emscripten.
  const runtime = api.pdfium as unknown as Runtime
  const grown = memory
  if (grown === undefined) throw new TypeError('PDFium exports no WebAssembly memory')
  const { malloc, free } = runtime.wasmExports
  let view = Buffer.from(grown.buffer)
  // Cached, because this runs thousands of times per file.
  const heap = () => {
    if (view.buffer !== grown.buffer) view = Buffer.from(grown.buffer)
    return view
  }
  const files: Pdfium['files'] = new Map()
  const writers: Pdfium['writers'] = new Map()
  const pdfium: Pdfium = {
    api,
    heap,
    words: (pointer, count) => new Int32Array(grown.buffer, pointer, count),
    allocate(size) {
      const pointer = malloc(size)
      if (pointer === 0) throw new OutOfMemory(`PDFium has no ${size} bytes`)
      return pointer
    },
    free: (pointer) => free(pointer),
    callback: (callback, signature) => runtime.addFunction(callback, signature),
    files,
    writers,
    // Offsets are unsigned, but arrive as signed numbers.
    readBlock: runtime.addFunction((file = 0, offset = 0, buffer = 0, size = 0) => {
      const start = offset >>> 0
      heap().set(files.get(file)?.subarray(start, start + size) ?? [], buffer)
      return 1
    }, 'iiiii'),
    writeBlock: runtime.addFunction((writer = 0, data = 0, size = 0) => {
      writers.get(writer)?.(heap().subarray(data, data + size))
      return 1
    }, 'iiii'),
  }
  api.PDFiumExt_Init()
  useFallbackFonts(pdfium)
  return pdfium
}

function capGrowth(imports: ProgramImports, maxBytes: number): void {
  const env = imports['env']
  const grow = env?.['emscripten_resize_heap']
  if (env === undefined || grow === undefined) throw new TypeError('PDFium requests its memory in an unsupported way')
  env['emscripten_resize_heap'] = (size) => (size >>> 0 > maxBytes ? 0 : grow(size))
}

type Program = { readonly compiled: unique symbol }

type ProgramImports = Record<string, Record<string, (size: number) => number>>

type Instance = { exports: Record<string, unknown> & { memory: { readonly buffer: ArrayBuffer } } }

type WebAssemblyGlobal = {
  compile: (bytes: Buffer) => Promise<Program>
  Instance: new (program: Program, imports: ProgramImports) => Instance
  RuntimeError: new (message?: string) => Error
}

// TypeScript declares `WebAssembly` only together with all browser types.
const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyGlobal }
