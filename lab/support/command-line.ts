import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { COMPILE_CACHE } from '@mediamill/server/app/postgres/paths'

export const MAIN = join(import.meta.dirname, '../../packages/cli/src/main.ts')

type Ran = { code: number | null; signal: NodeJS.Signals | null; out: string; bytes: Buffer; err: string }

type RunOptions = {
  /** The folder in which the command runs. It is also the home folder, which contains profiles and saved state. */
  folder: string
  env?: Record<string, string>
  input?: Buffer | string
  preload?: string
  onStart?: (child: ReturnType<typeof spawn>) => void
}

/** Runs packages/cli from its sources. The command gets only TMPDIR from this process's environment. */
export async function commandLine(
  args: readonly string[],
  { folder, env, input, preload, onStart }: RunOptions,
): Promise<Ran> {
  const imports = preload === undefined ? [] : ['--import', preload]
  const child = spawn(process.execPath, [...imports, MAIN, ...args], {
    cwd: folder,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: folder,
      TMPDIR: process.env['TMPDIR'] ?? '/tmp',
      // Without a cache, compiling the sources takes most of the time of a command.
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onStart?.(child)
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => undefined).end(input)
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  const bytes = Buffer.concat(out)
  return { code, signal, out: bytes.toString(), bytes, err: Buffer.concat(err).toString() }
}
