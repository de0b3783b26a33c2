import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { checkAnswer } from '../support/contract.ts'
import type { Release } from '../../scripts/release/migrations.ts'

const ROOT = join(import.meta.dirname, '../..')

/** What is taken out of the older version, so that there is an operation which only the newer one knows. */
export const NEWER_OPERATION = 'flip'

/** An older version of the whole program, in a folder of its own. */
export type OldRelease = {
  name: string
  folder: string
  main: string
  migrations: URL
  /** Holds an answer against that version's own contract. */
  checkAnswer: typeof checkAnswer
}

/** The last release with other migrations than today's, or else the last. */
export async function lastRelease(): Promise<Release> {
  const releases = JSON.parse(await readFile(join(ROOT, 'packages/server/test/releases.json'), 'utf8')) as Release[]
  const today = (await readdir(join(ROOT, 'migrations'))).filter((name) => name.endsWith('.sql')).length
  const found = releases.findLast(({ migrations }) => Object.keys(migrations).length < today) ?? releases.at(-1)
  if (found === undefined) throw new Error('packages/server/test/releases.json names no release')
  return found
}

/** Unpacks a commit of this repository into a folder; it shares the packages of this one. */
export async function unpackRelease(name: string, commit: string, into: string): Promise<OldRelease> {
  const folder = join(into, 'release')
  await mkdir(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', '--format=tar', commit], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const list = join(folder, 'packages/contract/src/operations/index.ts')
  const lines = (await readFile(list, 'utf8')).split('\n')
  await writeFile(list, lines.filter((line) => !new RegExp(`\\b${NEWER_OPERATION}\\b`).test(line)).join('\n'))
  await mendStop(join(folder, 'packages/server/src/http/server.ts'))
  const contract = (await import(pathToFileURL(join(folder, 'lab/support/contract.ts')).href)) as {
    checkAnswer: typeof checkAnswer
  }
  return {
    name,
    folder,
    main: join(folder, 'packages/server/src/main.ts'),
    migrations: pathToFileURL(`${join(folder, 'migrations')}/`),
    checkAnswer: contract.checkAnswer,
  }
}

/** Releases before this option answer a call that meets their stop with a 503 of Fastify's: no fault of an upgrade. */
async function mendStop(server: string): Promise<void> {
  const code = await readFile(server, 'utf8')
  if (code.includes('return503OnClosing')) return
  await writeFile(server, code.replace('requestTimeout: CALL_MS,', '$& return503OnClosing: false,'))
}
