import type { ArchitectureTables, Reach } from './architecture-tables.ts'
import { writeReach } from './architecture-tables.ts'
import { checkFile, isTest } from './file-rules.ts'
import { circlesOf } from './import-circles.ts'
import type { Import } from './import-graph.ts'
import { importsOf, packageOf } from './import-graph.ts'
import { lineAt, maskSource } from './source-text.ts'
import type { SourceFile, Violation } from './violation.ts'

/** The folders of the server that may name an engine's entry file by its path, to start it as a process. */
const STARTS_ENGINES = ['supervisor', 'app', 'main', 'commands']

/** Matches Node.js's global functions that open a connection. In docs/architecture.md, `fetch()` means all of them. */
const OPENS_CONNECTION = /(?<![.\w$]|\bfunction\s+)(?:fetch|new\s+WebSocket|new\s+EventSource)\s*\(/g

export function violationsOf(files: readonly SourceFile[], tables: ArchitectureTables): Violation[] {
  return [
    ...files.flatMap((file) => checkFile(file)),
    ...files
      .filter(({ path }) => !isTest(path))
      .flatMap((file) => [...checkFolders(file, tables), ...checkUses(file, tables)]),
    ...checkCircles(files.filter(({ path }) => !isTest(path))),
    ...checkList(files, 'operations', 'defineOperation'),
    ...checkList(files, 'endpoints', 'defineEndpoint'),
  ]
}

/** Returns the path under which the tables list a file: `http/query` for `packages/server/src/http/query.ts`. */
export const placeOf = (path: string) =>
  path
    .replace(/\.ts$/, '')
    .replace(/^packages\/server\/src\//, '')
    .replace(/^packages\/([\w-]+)\/src\//, '$1/')

/** Returns the folder of a file in the tables: `engines/image` if the tables have a row for it, otherwise `engines`. */
function folderOf(path: string, { imports }: ArchitectureTables): string {
  const parts = placeOf(path).split('/')
  const names = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  return names.findLast((name) => imports.has(name)) ?? parts[0] ?? ''
}

function checkFolders({ path, text }: SourceFile, tables: ArchitectureTables): Violation[] {
  const from = folderOf(path, tables)
  const row = tables.imports.get(from)
  if (row === undefined) {
    return [
      { file: path, line: 1, what: `is in "${from}"`, allowed: 'docs/architecture.md has no row for it: add one' },
    ]
  }
  const allowed = `${from} may import ${row === 'everything' ? row : writeReach(row)}`
  return importsOf(path, text).flatMap((found): Violation[] => {
    const { target, line } = found
    if (target === undefined || target.endsWith('.json')) return []
    const report = (what: string, why = allowed) => [{ file: path, line, what, allowed: why }]
    if (!/^packages\/[\w-]+\/src\//.test(target)) {
      return found.kind === 'path'
        ? []
        : report(`imports ${target}`, 'published code must not import files outside packages/')
    }
    const to = folderOf(target, tables)
    if (to === from) return []
    if (isEngine(to) && !isEngine(from)) {
      if (found.kind === 'path' && STARTS_ENGINES.includes(from)) return []
      if (found.kind !== 'type')
        return report(`loads ${target}`, 'import only types of an engine, with `import type { … }`')
    }
    if (row === 'everything' || reaches(row, to, target, found.kind === 'type', tables)) return []
    return report(`imports ${target}`)
  })
}

function checkUses({ path, text }: SourceFile, tables: ArchitectureTables): Violation[] {
  const { uses } = tables
  const from = folderOf(path, tables)
  const report = (line: number, name: string): Violation[] => {
    const rule = uses.get(name)
    if (rule === undefined) {
      if (name.startsWith('node:')) return []
      return [
        {
          file: path,
          line,
          what: `imports ${name}`,
          allowed: 'docs/architecture.md has no row for this package: add one',
        },
      ]
    }
    if (reaches(rule.folders, from, path, false, tables) !== rule.inverted) return []
    const allowed = `${name} is for ${rule.inverted ? 'all but ' : ''}${writeReach(rule.folders)}`
    return [{ file: path, line, what: `uses ${name}`, allowed }]
  }
  const packages = importsOf(path, text).flatMap(({ kind, specifier, target, line }) => {
    const name = target === undefined ? packageOf(specifier) : undefined
    if (name === undefined || (kind === 'type' && nodeModule(name).startsWith('node:'))) return []
    return report(line, nodeModule(name))
  })
  const calls = [...maskSource(text).matchAll(OPENS_CONNECTION)].flatMap(({ index }) =>
    report(lineAt(text, index), 'fetch()'),
  )
  return [...packages, ...calls]
}

function checkCircles(files: readonly SourceFile[]): Violation[] {
  return circlesOf(files).map((circle) => ({
    file: circle[0] ?? '',
    line: 1,
    what: `imports itself through ${circle.slice(1).join(', ') || 'itself'}`,
    allowed: 'circular imports are not allowed, not even of types: move the shared code to a lower folder',
  }))
}

/** Checks that `index.ts` of a folder imports every file that calls the function `define`. */
function checkList(files: readonly SourceFile[], folder: string, define: string): Violation[] {
  const index = files.find(({ path }) => path === `packages/contract/src/${folder}/index.ts`)
  const listed = new Set(
    index === undefined
      ? []
      : importsOf(index.path, index.text)
          .filter(isValue)
          .map(({ target }) => target),
  )
  if (listed.size === 0) return []
  const declares = new RegExp(String.raw`=\s*${define}\s*\(`)
  return files
    .filter(({ path }) => path.startsWith(`packages/contract/src/${folder}/`) && !isTest(path) && !listed.has(path))
    .flatMap(({ path, text }) => {
      const code = maskSource(text)
      const at = code.search(declares)
      if (at === -1) return []
      return [
        {
          file: path,
          line: lineAt(text, at),
          what: `calls ${define} but is not listed`,
          allowed: `import it in packages/contract/src/${folder}/index.ts`,
        },
      ]
    })
}

const isValue = ({ kind }: Import) => kind === 'value'

const nodeModule = (name: string) =>
  /^(?:fs|http|https|http2|net|tls|dns|dgram|child_process)$/.test(name) ? `node:${name}` : name

const isEngine = (folder: string) => folder === 'engines' || folder.startsWith('engines/')

/** Returns whether `folder` is `place`. If architecture.md has no row for `place`, a folder below `place` also counts. */
const isWithin = (folder: string, place: string, { imports }: ArchitectureTables) =>
  folder === place || (!imports.has(place) && folder.startsWith(`${place}/`))

const reaches = (
  folders: readonly Reach[],
  folder: string,
  path: string,
  isType: boolean,
  tables: ArchitectureTables,
) =>
  folders.some(
    (place) =>
      isWithin(folder, place.folder, tables) &&
      (isType || !place.typesOnly) &&
      (place.files?.some((file) => path.endsWith(`/${file}`)) ?? true),
  )
