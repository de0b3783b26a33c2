import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAccount } from '@mediamill/server/accounts/create-account'
import type { Release } from '../../scripts/release/migrations.ts'
import type { checkResponse } from '../support/contract.ts'

const ROOT = join(import.meta.dirname, '../..')

const PATHS = {
  main: 'packages/server/src/main.ts',
  server: 'packages/server/src/http/server.ts',
  migrations: 'packages/server/migrations',
  operations: 'packages/contract/src/operations/index.ts',
  contract: 'lab/support/contract.ts',
  accounts: 'packages/server/src/accounts/create-account.ts',
}

/** The values of `PATHS` in older releases, which have no folder `packages`. */
const PATHS_BEFORE_PACKAGES: typeof PATHS = {
  main: 'src/main.ts',
  server: 'src/http/server.ts',
  migrations: 'migrations',
  operations: 'src/operations/index.ts',
  contract: 'test/support/contract.ts',
  accounts: 'src/accounts/create-account.ts',
}

/** The operation that `unpackRelease` removes from the older version, so that only the newer version supports it. */
const NEWER_OPERATION = 'flip'

export type OldRelease = {
  name: string
  folder: string
  main: string
  migrations: URL
  accounts: string
  checkResponse: typeof checkResponse
}

/** Returns the last release with fewer migrations than this version. If no release has fewer, returns the last. */
export async function lastRelease(): Promise<Release> {
  const releases = JSON.parse(await readFile(join(ROOT, 'packages/server/test/releases.json'), 'utf8')) as Release[]
  const today = (await readdir(join(ROOT, 'packages/server/migrations'))).filter((name) => name.endsWith('.sql')).length
  const found = releases.findLast(({ migrations }) => Object.keys(migrations).length < today) ?? releases.at(-1)
  if (found === undefined) throw new Error('packages/server/test/releases.json lists no matching release')
  return found
}

/** Unpacks a commit into a folder. The unpacked program uses the npm packages of this checkout. */
export async function unpackRelease(name: string, commit: string, into: string): Promise<OldRelease> {
  const folder = join(into, 'release')
  await mkdir(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const paths = existsSync(join(folder, 'src/main.ts')) ? PATHS_BEFORE_PACKAGES : PATHS
  const list = join(folder, paths.operations)
  const lines = (await readFile(list, 'utf8')).split('\n')
  await writeFile(list, lines.filter((line) => !new RegExp(`\\b${NEWER_OPERATION}\\b`).test(line)).join('\n'))
  await mendStop(join(folder, paths.server))
  const contract = (await import(pathToFileURL(join(folder, paths.contract)).href)) as {
    checkResponse: typeof checkResponse
  }
  return {
    name,
    folder,
    main: join(folder, paths.main),
    migrations: pathToFileURL(`${join(folder, paths.migrations)}/`),
    accounts: pathToFileURL(join(folder, paths.accounts)).href,
    checkResponse: contract.checkResponse,
  }
}

export async function accountCreator(release: OldRelease | undefined): Promise<typeof createAccount> {
  if (release === undefined) return createAccount
  return ((await import(release.accounts)) as { createAccount: typeof createAccount }).createAccount
}

/** Changes the server file of an older release: turns off Fastify's own 503 for calls during a stop. */
async function mendStop(server: string): Promise<void> {
  const code = await readFile(server, 'utf8')
  if (code.includes('return503OnClosing')) return
  await writeFile(server, code.replace('requestTimeout: CALL_MS,', '$& return503OnClosing: false,'))
}
