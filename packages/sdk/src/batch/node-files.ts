import { builtinModule } from '../environment.ts'
import { MediamillError } from '../errors/mediamill-error.ts'

type Handle = {
  appendFile: (text: string) => Promise<void>
  sync: () => Promise<void>
  close: () => Promise<void>
}

export type NodeFiles = {
  open: (path: string, flags: 'a', mode: number) => Promise<Handle>
  readFile: (path: string, encoding: 'utf8') => Promise<string>
  writeFile: (path: string, text: string) => Promise<void>
  truncate: (path: string) => Promise<void>
  link: (from: string, to: string) => Promise<void>
  rename: (from: string, to: string) => Promise<void>
  rm: (path: string, options: { force: boolean }) => Promise<void>
}

type Process = { pid: number; kill: (pid: number, signal: 0) => void }

/** Returns the file functions of the runtime. Throws if the runtime has no file system, such as a browser. */
export function nodeFiles(): NodeFiles {
  const files = builtinModule<NodeFiles>('node:fs/promises')
  if (files === undefined)
    throw new MediamillError('A journal requires a runtime with file access: Node.js, Bun, or Deno.')
  return files
}

/** Returns the identity of a process, by default of this process. `started` is empty if the process is not running. */
export async function thisProcess(files: NodeFiles, pid?: number) {
  // The SDK compiles without Node types, because it also runs in browsers.
  const { process } = globalThis as unknown as { process: Process }
  const host = builtinModule<{ hostname: () => string }>('node:os')?.hostname() ?? ''
  const id = pid ?? process.pid
  return { pid: id, host, started: await startOf(files, process, id) }
}

async function startOf(files: NodeFiles, process: Process, pid: number): Promise<string> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // With `EPERM`, the process exists, but belongs to another user. Other errors mean that no process has this id.
    if ((error as { code?: unknown }).code !== 'EPERM') return ''
  }
  // On Linux, field 22 is the start time. The process name in parentheses, an earlier field, may contain spaces.
  const stat = await files.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? 'running'
}
