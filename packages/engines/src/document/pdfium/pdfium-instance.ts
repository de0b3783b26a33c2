import type { Methods } from '@embedpdf/pdfium'

/** The part of Emscripten's module that we use. The package's own types need a package that it does not bring. */
export type Runtime = {
  wasmExports: { malloc: (size: number) => number; free: (pointer: number) => void }
  addFunction: (callback: (...args: number[]) => number | void, signature: string) => number
}

/** One PDFium in a memory of its own. */
export type Pdfium = {
  api: Methods
  /** The heap as it is now: a view kept over a call may be of a memory that has grown since. */
  heap: () => Buffer
  /** 32-bit words from `pointer` on, to be read and written. */
  words: (pointer: number, count: number) => Int32Array
  /** Throws `OutOfMemory` instead of returning a null pointer. */
  allocate: (size: number) => number
  free: (pointer: number) => void
  /** A JavaScript function that PDFium can call, by Emscripten's signature: the result first, `i` a word, `v` nothing. */
  callback: Runtime['addFunction']
  /** The bytes of open files, by the structure that PDFium knows each as. */
  files: Map<number, Buffer>
  /** What takes the blocks of files being saved, by the same. */
  writers: Map<number, (block: Buffer) => void>
  /** Pointers to the functions that read from `files` and write to `writers`. */
  readBlock: number
  writeBlock: number
}
