import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ordinaryUser, PLAIN_ENVIRONMENT } from '@mediamill/server/app/postgres/os-user'

const ROOT = '/usr/lib/postgresql'

/** Returns the folder with the programs of the newest installed PostgreSQL that has `pg_basebackup`. */
export function findPrograms(): string | undefined {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).map(Number) : []
  return versions
    .sort((one, other) => other - one)
    .map((version) => join(ROOT, String(version), 'bin'))
    .find((folder) => existsSync(join(folder, 'pg_basebackup')))
}

/** Returns an ordinary user if this process runs as root, because PostgreSQL does not run as root. */
export function serverUser(): { uid: number; gid: number } | undefined {
  const account = process.getuid?.() === 0 ? ordinaryUser() : undefined
  return account && { uid: account.uid, gid: account.gid }
}

/** Runs a program of PostgreSQL. If the program fails, throws its error output. */
export async function runProgram(
  { programs, folder, environment }: { programs: string; folder: string; environment?: Record<string, string> },
  program: string,
  ...args: string[]
): Promise<void> {
  const child = spawn(join(programs, program), args, {
    ...serverUser(),
    env: { ...PLAIN_ENVIRONMENT, ...environment },
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`)
}
