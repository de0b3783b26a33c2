import { posix } from 'node:path'
import { placeOf } from './architecture-rules.ts'
import type { ArchitectureTables, Reach } from './architecture-tables.ts'

/** Returns rows of docs/architecture.md that name a folder, a file, or a package that does not exist. */
export function staleRowsOf(
  { imports, uses }: ArchitectureTables,
  paths: readonly string[],
  packages: ReadonlySet<string>,
): string[] {
  const stale = [
    ...[...imports].flatMap(([folder, row]) => [
      ...missing({ folder, files: undefined }, paths),
      ...(row === 'everything' ? [] : row).flatMap((place) => missing(place, paths)),
    ]),
    ...[...uses].flatMap(([name, { folders: places }]) => [
      ...(isPackage(name) && ![...packages].some((one) => posix.matchesGlob(one, name)) ? [name] : []),
      ...places.flatMap((folder) => missing(folder, paths)),
    ]),
  ]
  return [...new Set(stale)]
}

function missing({ folder, files }: Pick<Reach, 'folder' | 'files'>, paths: readonly string[]): string[] {
  const inside = paths.filter((path) => placeOf(path) === folder || placeOf(path).startsWith(`${folder}/`))
  if (inside.length === 0) return [folder]
  return (files ?? [])
    .filter((file) => !inside.some((path) => path.endsWith(`/${file}`)))
    .map((file) => `${folder} (${file})`)
}

const isPackage = (name: string) => !name.startsWith('node:') && !name.endsWith('()')
