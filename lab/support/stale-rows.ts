import { posix } from 'node:path'
import type { ArchitectureTables, Reach } from './architecture-tables.ts'

/** What docs/architecture.md names and the project does not have: folders, files in brackets, packages. */
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
    ...[...uses].flatMap(([name, { places }]) => [
      ...(isPackage(name) && ![...packages].some((one) => posix.matchesGlob(one, name)) ? [name] : []),
      ...places.flatMap((place) => missing(place, paths)),
    ]),
  ]
  return [...new Set(stale)]
}

/** The folders and files of `src/` that the drawing of section 3 names and the project does not have. */
export function staleBranchesOf(markdown: string, paths: readonly string[]): string[] {
  const [, drawing = ''] = /^src\/\n((?: .*\n)+)/m.exec(markdown) ?? []
  let above = ''
  const names = [...drawing.matchAll(/^( {2}| {4})(?=\S)((?:[\w.-]+\/? ?)+)(?: |$)/gm)].flatMap(
    ([, indent = '', list = '']) => {
      const branches = list.trim().split(' ')
      if (indent.length === 2) above = branches[0] ?? ''
      return branches.map((name) => (indent.length === 2 ? name : above + name))
    },
  )
  return names.filter((name) => !paths.some((path) => path === `src/${name}` || path.startsWith(`src/${name}`)))
}

function missing({ folder, files }: Pick<Reach, 'folder' | 'files'>, paths: readonly string[]): string[] {
  const inside = paths.filter((path) => path === `src/${folder}.ts` || path.startsWith(`src/${folder}/`))
  if (inside.length === 0) return [folder]
  return (files ?? [])
    .filter((file) => !inside.some((path) => path.endsWith(`/${file}`)))
    .map((file) => `${folder} (${file})`)
}

const isPackage = (name: string) => !name.startsWith('node:') && !name.endsWith('()')
