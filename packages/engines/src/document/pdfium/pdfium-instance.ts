import type { Methods } from '@embedpdf/pdfium'

/**
 * The functions of the Emscripten module that this code uses. PDFium's own types for them require `@types/emscripten`.
 */
export type Runtime = {
  wasmExports: { malloc: (size: number) => number; free: (pointer: number) => void }
  addFunction: (callback: (...args: number[]) => number | void, signature: string) => number
}

export type Pdfium = {
  api: Methods
  /** Returns the memory. Call it again after each call of PDFium, because the memory may have grown and moved. */
  heap: () => Buffer
  /** Returns 32-bit words in the memory, to read and write. */
  words: (pointer: number, count: number) => Int32Array
  /** Allocates memory. Throws `OutOfMemory` instead of returning a null pointer. */
  allocate: (size: number) => number
  free: (pointer: number) => void
  /** Makes a function that PDFium can call. `signature` lists the types of result and arguments: `i` word, `v` void. */
  callback: Runtime['addFunction']
  /** The bytes of each open file, by the address of its `FPDF_FILEACCESS`. */
  files: Map<number, Buffer>
  /** The functions that receive saved bytes, by the address of the `FPDF_FILEWRITE`. */
  writers: Map<number, (block: Buffer) => void>
  readBlock: number
  writeBlock: number
}
