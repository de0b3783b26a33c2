import assert from 'node:assert/strict'

/** Code that a table cell names: files of a folder, or the whole folder if `files` is `undefined`. */
export type Reach = { folder: string; files: readonly string[] | undefined; typesOnly: boolean }

type ImportTable = ReadonlyMap<string, readonly Reach[] | 'everything'>

/** The folders that may use each package or module. If `inverted` is true, all code except `folders` may use it. */
type UseTable = ReadonlyMap<string, { folders: readonly Reach[]; inverted: boolean }>

export type ArchitectureTables = { imports: ImportTable; uses: UseTable }

export function readTables(markdown: string): ArchitectureTables {
  const imports = rowsUnder(markdown, '| Folder | May import |').flatMap(([folders, cell]) => {
    const reach = cell === 'everything' ? cell : cell === 'nothing' ? [] : parseReach(cell)
    return folders.split(', ').map((folder) => [folder, reach] as const)
  })
  const uses = rowsUnder(markdown, '| Package or module | Only in |').flatMap(([names, cell]) => {
    const inverted = cell.startsWith('all but ')
    const rule = { folders: parseReach(cell.replace(/^all but /, '')), inverted }
    return names.split(', ').map((name) => [name, rule] as const)
  })
  return { imports: new Map(imports), uses: new Map(uses) }
}

function rowsUnder(markdown: string, header: string): [string, string][] {
  const lines = markdown.split('\n')
  const start = lines.indexOf(header)
  assert.notEqual(start, -1, `docs/architecture.md has no table that begins with "${header}"`)
  const rows: [string, string][] = []
  for (const line of lines.slice(start + 2)) {
    const cells = /^\| (.+) \| (.+) \|$/.exec(line)
    if (cells === null) break
    rows.push([cells[1] ?? '', cells[2] ?? ''])
  }
  return rows
}

/** Parses the folders in a cell. Throws if it cannot parse the whole cell, so that no part of a rule is ignored. */
function parseReach(cell: string): Reach[] {
  const folders = [...cell.matchAll(/([\w/-]+)(?: \(([^)]+)\))?(?:, |$)/g)].map((match) => ({
    folder: match[1] ?? '',
    files: match[2]?.replace(/^types of /, '').split(', '),
    typesOnly: match[2]?.startsWith('types of ') ?? false,
  }))
  assert.equal(writeReach(folders), cell, 'docs/architecture.md has a cell that this test cannot parse')
  return folders
}

export function writeReach(folders: readonly Reach[]): string {
  const words = folders.map(({ folder, files, typesOnly }) =>
    files === undefined ? folder : `${folder} (${typesOnly ? 'types of ' : ''}${files.join(', ')})`,
  )
  return words.length === 0 ? 'nothing' : words.join(', ')
}
