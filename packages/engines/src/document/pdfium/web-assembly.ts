// TypeScript declares `WebAssembly` only together with all browser types.

export type Program = { readonly compiled: unique symbol }

export type ProgramImports = Record<string, Record<string, (size: number) => number>>

export type Instance = { exports: Record<string, unknown> & { memory: { readonly buffer: ArrayBuffer } } }

type WebAssemblyGlobal = {
  compile: (bytes: Buffer) => Promise<Program>
  Instance: new (program: Program, imports: ProgramImports) => Instance
  RuntimeError: new (message?: string) => Error
}

export const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyGlobal }
