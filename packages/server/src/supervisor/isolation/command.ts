import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { allowedLimit } from './own-limits.ts'

export type EngineCommand = {
  file: string
  args: string[]
  environment: Record<string, string>
  filter?: Buffer | undefined
}

/** The descriptor of the seccomp filter. 0 to 2 are the standard streams, and 3 is the message channel. */
export const FILTER_FD = 4

export type EngineSetting = {
  entry: string
  folder: string
  mountPoint: string
  memoryBytes: number
  /** The CPU time of all jobs of the process together. */
  cpuMs: number
  fileBytes: number
}

const ROOT = join(import.meta.dirname, '../../../../..')

/** The folder `packages`, or `dist` in the published package. */
const CODE = join(import.meta.dirname, '../../../..')

// PATH is not trusted.
const TOOL_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin', '/run/current-system/sw/bin']

// /nix/store is for NixOS.
const SYSTEM_PATHS = ['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/etc/ld.so.cache', '/nix/store']

// RLIMIT_DATA also counts unused writable memory. Node.js and sharp start with up to 1 GiB of it. With this allowance,
// the limit only stops growth that is faster than the check of resident memory.
const DATA_ALLOWANCE_BYTES = 2 * 1024 ** 3

// Additional time for the start of the engine. It also lets the watch report a limit before the kernel kills.
const CPU_ALLOWANCE_MS = 5_000

export function findTool(name: string): string | undefined {
  return TOOL_FOLDERS.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

export function readablePaths(entry: string): string[] {
  return [...SYSTEM_PATHS.filter((path) => existsSync(path)), ...codePaths(entry)]
}

export function nodeCommand({ entry, folder }: EngineSetting, isBare: boolean): string[] {
  if (isBare) return [process.execPath, entry]
  return [
    process.execPath,
    // The permission model is a second layer for JavaScript. It restricts neither native code nor the network.
    '--permission',
    // security check: reading other files from JavaScript
    '--allow-addons',
    ...[...codePaths(entry), folder].map((path) => `--allow-fs-read=${path}`),
    // security check: writing read-only files from JavaScript
    `--allow-fs-write=${folder}`,
    '--disable-warning=SecurityWarning',
    entry,
  ]
}

/** Returns the command for the limits, or `[]` without `prlimit`. `watchEngine` usually stops a job earlier. */
export function limitCommand({ memoryBytes, cpuMs, fileBytes }: EngineSetting): string[] {
  const prlimit = findTool('prlimit')
  if (prlimit === undefined) return []
  return [
    prlimit,
    // security check: core dumps
    '--core=0',
    // security check: open files
    `--nofile=${allowedLimit('open files', 1024)}`,
    // security check: a file of any size
    `--fsize=${allowedLimit('file size', fileBytes)}`,
    // security check: memory that grows faster than the watch
    `--data=${allowedLimit('data size', memoryBytes + DATA_ALLOWANCE_BYTES)}`,
    // security check: processor time that increases faster than the watch
    `--cpu=${allowedLimit('cpu time', Math.ceil((cpuMs + CPU_ALLOWANCE_MS) / 1000))}`,
  ]
}

export function engineCommand(words: string[], { folder }: EngineSetting): EngineCommand {
  const [file = '', ...args] = words
  const environment = {
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    HOME: '/nonexistent',
    TMPDIR: folder,
    // The engine that draws text writes this file.
    // security check: fonts of the machine
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    // Under Landlock, Node.js cannot read the machine's OpenSSL settings, and would not start.
    OPENSSL_CONF: '/dev/null',
    // With more malloc arenas, more unused memory would stay allocated.
    MALLOC_ARENA_MAX: '2',
  }
  return { file, args, environment }
}

function codePaths(entry: string): string[] {
  // npm installs dependencies in the package, next to the package, or in both places.
  const siblings = basename(dirname(ROOT)) === 'node_modules' ? [dirname(ROOT)] : []
  const modules = [join(ROOT, 'node_modules'), ...siblings].filter((path) => existsSync(path))
  const resolved = modules.map((path) => realpathSync(path))
  const paths = [CODE, join(ROOT, 'package.json'), ...modules, ...resolved, process.execPath]
  if (!entry.startsWith(`${CODE}/`)) paths.push(dirname(entry))
  const isBeneath = (path: string) => paths.some((other) => path.startsWith(`${other}/`))
  return [...new Set(paths)].filter((path) => !isBeneath(path))
}
