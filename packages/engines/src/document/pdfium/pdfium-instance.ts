import type { Methods } from '@embedpdf/pdfium'

/** Emscripten's functions. PDFium's own types for them require `@types/emscripten`. */
export type Runtime = {
  wasmExports: { malloc: (size: number) => number; free: (pointer: number) => void }
  addFunction: (callback: (...args: number[]) => number | void, signature: string) => number
}

export type Pdfium = {
  api: Methods
  /**
   * Returns the memory of PDFium. Call `heap` again after each call of PDFium, because the memory may have grown and
   * moved.
   */
  heap: () => Buffer
  words: (pointer: number, count: number) => Int32Array
  /** Allocates `size` bytes. Throws `OutOfMemory` instead of returning a null pointer. */
  allocate: (size: number) => number
  free: (pointer: number) => void
  /** Makes a function that PDFium can call. `signature` lists the types of result and arguments: `i` word, `v` void. */
  callback: Runtime['addFunction']
  /** The bytes of each open file by the address of its `FPDF_FILEACCESS`. */
  files: Map<number, Buffer>
  /** The receivers of saved bytes by the address of their `FPDF_FILEWRITE`. */
  writers: Map<number, (block: Buffer) => void>
  readBlock: number
  writeBlock: number
}
