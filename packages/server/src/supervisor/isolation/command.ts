import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { allowedLimit } from './own-limits.ts'

/**
 * The command and the environment that start an engine. The command has the walls in it, and the environment holds
 * nothing of ours.
 */
export type EngineCommand = {
  file: string
  args: string[]
  environment: Record<string, string>
  /** A seccomp filter that the command reads from the descriptor `FILTER_FD`. */
  filter?: Buffer | undefined
}

/** The descriptor after the standard ones and the channel. */
export const FILTER_FD = 4

/** What an engine process is started for. */
export type EngineSetting = {
  /** The file that it runs; absolute. */
  entry: string
  /** The one folder that it may write to; absolute. */
  folder: string
  /** An empty folder to build a file tree on, in a mount namespace of the engine's own. */
  mountPoint: string
  memoryBytes: number
  /** Processor time of its whole life. */
  cpuMs: number
  /** The largest file that it may write. */
  fileBytes: number
  /** The folder of compiled code that it may run; none unless the walls fill it in. */
  codeCache?: string | undefined
}

const ROOT = join(import.meta.dirname, '../../../../..')

/** Where compiled code of ours may lie, of the installation and within what engines read. */
export const CODE_CACHE_ROOT = join(ROOT, 'node_modules')

/** `packages`, or `dist` in the published package. */
const CODE = join(import.meta.dirname, '../../../..')

// Where systems keep their programs: the service's own search path is not trusted with the walls.
const TOOL_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin']

// Shared libraries of Node and of native modules, and where NixOS keeps them.
const SYSTEM_PATHS = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache', '/nix/store']

// RLIMIT_DATA counts what was made writable, not what is used: Node and sharp start within 1 GiB of it, so that with
// this allowance it stops only what outruns the watch over resident memory.
const DATA_ALLOWANCE_BYTES = 2 * 1024 ** 3

// The start of an engine, and time for the watch to find it past its limit and say so.
const CPU_ALLOWANCE_MS = 5_000

/** The program of that name, or `undefined` where it is not installed. */
export function findTool(name: string): string | undefined {
  return TOOL_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/**
 * The places that an engine may read besides its folder. They are our code, what it depends on, Node, and the system's
 * libraries.
 */
export function readablePaths(entry: string): string[] {
  return [...SYSTEM_PATHS.filter((path) => existsSync(path)), ...codePaths(entry)]
}

/**
 * Node with the flags that every engine runs with; `isBare` leaves out Node's permission model. Node uses compiled code
 * only from a folder that it thinks it may write: the walls around it must know better.
 */
export function nodeCommand({ entry, folder, codeCache }: EngineSetting, isBare: boolean): string[] {
  if (isBare) return [process.execPath, entry]
  return [
    process.execPath,
    // A second fence, for our own JavaScript: native code is not held by it, and the network is open to it.
    '--permission',
    // wall: our own JavaScript in other files
    '--allow-addons',
    ...[...codePaths(entry), folder].map((path) => `--allow-fs-read=${path}`),
    // wall: our own JavaScript in files it only reads
    `--allow-fs-write=${folder}`,
    ...(codeCache === undefined ? [] : [`--allow-fs-write=${codeCache}`]),
    '--disable-warning=SecurityWarning',
    entry,
  ]
}

/** The prefix that sets resource limits, empty where `prlimit` is missing. The worker's own watch sees most of them first. */
export function limitCommand({ memoryBytes, cpuMs, fileBytes }: EngineSetting): string[] {
  const prlimit = findTool('prlimit')
  if (prlimit === undefined) return []
  return [
    prlimit,
    // wall: core dumps
    '--core=0',
    // wall: open files
    `--nofile=${allowedLimit('open files', 1024)}`,
    // wall: a file of any size
    `--fsize=${allowedLimit('file size', fileBytes)}`,
    // wall: memory that outruns the watch
    `--data=${allowedLimit('data size', memoryBytes + DATA_ALLOWANCE_BYTES)}`,
    // wall: processor time that outruns the watch
    `--cpu=${allowedLimit('cpu time', Math.ceil((cpuMs + CPU_ALLOWANCE_MS) / 1000))}`,
  ]
}

/** The words of a command line, made ready for `spawn`. */
export function engineCommand(words: string[], { folder, codeCache }: EngineSetting): EngineCommand {
  const [file = '', ...args] = words
  const environment = {
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    HOME: '/nonexistent',
    TMPDIR: folder,
    // Written by the engine that draws text: the fonts of a machine never change a result.
    // wall: fonts of the machine
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    // 200 images, 6 at once: 349 MB kept instead of 435, for the same processor time.
    MALLOC_ARENA_MAX: '2',
    ...(codeCache !== undefined && { NODE_COMPILE_CACHE: codeCache }),
  }
  return { file, args, environment }
}

function codePaths(entry: string): string[] {
  // What the package depends on lies in it, beside it in the folder it was installed into, or both.
  const beside = basename(dirname(ROOT)) === 'node_modules' ? [dirname(ROOT)] : []
  const modules = [join(ROOT, 'node_modules'), ...beside].filter((path) => existsSync(path))
  const resolved = modules.map((path) => realpathSync(path))
  const paths = [CODE, join(ROOT, 'package.json'), ...modules, ...resolved, process.execPath]
  if (!entry.startsWith(`${CODE}/`)) paths.push(dirname(entry))
  const isBeneath = (path: string) => paths.some((other) => path.startsWith(`${other}/`))
  return [...new Set(paths)].filter((path) => !isBeneath(path))
}
