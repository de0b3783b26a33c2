import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

type ProgramVersion = { version: string; commit: string | undefined }

// The root is four folders up in a checkout (packages/server/src/lib) and in a package (dist/server/src/lib).
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const GIT_TIMEOUT_MS = 2_000

let known: ProgramVersion | undefined

export function programVersion(): ProgramVersion {
  known ??= { version: packageVersion(), commit: readCommit(ROOT) }
  return known
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  return version
}

export function versionText({ version, commit }: ProgramVersion = programVersion()): string {
  return commit === undefined ? version : `${version} (${commit})`
}

export function readCommit(root: string): string | undefined {
  const built = join(root, 'dist/commit')
  if (existsSync(built)) return digitsOf(readFileSync(built, 'utf8'))
  // In a folder without its own repository, Git would return the commit of a project around the folder.
  if (!existsSync(join(root, '.git'))) return undefined
  // Git rejects another user's checkout, unless it is marked as safe. This program already runs the checkout's code.
  const command = ['-c', 'safe.directory=*', '-C', root, 'rev-parse', 'HEAD']
  const found = spawnSync('git', command, { encoding: 'utf8', timeout: GIT_TIMEOUT_MS })
  return found.status === 0 ? digitsOf(found.stdout) : undefined
}

const digitsOf = (text: string) => /^[0-9a-f]{12}/.exec(text)?.[0]
