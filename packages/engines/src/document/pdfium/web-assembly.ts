// `WebAssembly` is typed in TypeScript's library for browsers only, which would bring everything else of theirs.

/** A compiled WebAssembly program, to be started any number of times. */
export type Program = { readonly compiled: unique symbol }

export type ProgramImports = Record<string, Record<string, (size: number) => number>>

export type Instance = { exports: Record<string, unknown> & { memory: { readonly buffer: ArrayBuffer } } }

type WebAssemblyGlobal = {
  compile: (bytes: Buffer) => Promise<Program>
  Instance: new (program: Program, imports: ProgramImports) => Instance
  /** What an instance throws when it gives up. */
  RuntimeError: new (
    message?: string,
  ) => Error
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyGlobal }
