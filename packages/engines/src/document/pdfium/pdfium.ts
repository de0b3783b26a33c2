import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { init } from '@embedpdf/pdfium'
import { useFallbackFonts } from '../fonts/fallback-fonts.ts'
import type { Pdfium, Runtime } from './pdfium-instance.ts'
import type { Instance, Program, ProgramImports } from './web-assembly.ts'
import { WebAssembly } from './web-assembly.ts'

export class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}

/** Compiles PDFium. Starting an instance of the compiled program takes only milliseconds. */
export function compilePdfium(): Promise<Program> {
  return WebAssembly.compile(readFileSync(fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'))))
}

/**
 * Starts a PDFium instance, which fails if it requests more than `maxBytes` of memory. Emscripten can reserve up to a
 * fifth more than PDFium requests.
 */
export async function startPdfium(program: Program, maxBytes: number): Promise<Pdfium> {
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
  const runtime = api.pdfium as unknown as Runtime
  const grown = memory
  if (grown === undefined) throw new TypeError('PDFium exports no WebAssembly memory')
  const { malloc, free } = runtime.wasmExports
  let view = Buffer.from(grown.buffer)
  // Runs thousands of times per file, so it must be fast.
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
