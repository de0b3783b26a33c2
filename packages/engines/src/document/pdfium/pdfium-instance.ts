import type { Methods } from '@embedpdf/pdfium'

/** The parts of Emscripten's module that we use. PDFium's own types need a package that it does not include. */
export type Runtime = {
  wasmExports: { malloc: (size: number) => number; free: (pointer: number) => void }
  addFunction: (callback: (...args: number[]) => number | void, signature: string) => number
}

export type Pdfium = {
  api: Methods
  /** Returns the current heap. Do not keep it across calls: it becomes stale when the memory grows. */
  heap: () => Buffer
  /** Returns a view of the 32-bit words at `pointer`, to read and write. */
  words: (pointer: number, count: number) => Int32Array
  /** Allocates memory. Throws `OutOfMemory` instead of returning a null pointer. */
  allocate: (size: number) => number
  free: (pointer: number) => void
  /** Makes a function that PDFium can call. `signature`: the result, then the arguments; `i` word, `v` void. */
  callback: Runtime['addFunction']
  /** The bytes of each open file, by the pointer to the file's structure. */
  files: Map<number, Buffer>
  /** The function that receives saved blocks, by the pointer to the writer's structure. */
  writers: Map<number, (block: Buffer) => void>
  readBlock: number
  writeBlock: number
}
