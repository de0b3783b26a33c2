import assert from 'node:assert/strict'

/**
 * The code that a table cell names: a folder, or only the `files` of the folder. If `typesOnly` is true, only types may
 * be imported.
 */
export type Reach = { folder: string; files: readonly string[] | undefined; typesOnly: boolean }

/** The allowed imports of each folder, or `everything`. */
type ImportTable = ReadonlyMap<string, readonly Reach[] | 'everything'>

/**
 * The code that may use a package or a Node.js module: only `folders`, or all code except `folders` if `inverted` is
 * true.
 */
type UseTable = ReadonlyMap<string, { folders: readonly Reach[]; inverted: boolean }>

export type ArchitectureTables = { imports: ImportTable; uses: UseTable }

/** Reads both tables of docs/architecture.md, section 3, so that the checks use the tables that people read. */
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

/** Parses a table cell. Throws if it cannot parse the whole cell, so that no part of a rule is ignored. */
function parseReach(cell: string): Reach[] {
  const folders = [...cell.matchAll(/([\w/-]+)(?: \(([^)]+)\))?(?:, |$)/g)].map((match) => ({
    folder: match[1] ?? '',
    files: match[2]?.replace(/^types of /, '').split(', '),
    typesOnly: match[2]?.startsWith('types of ') ?? false,
  }))
  assert.equal(writeReach(folders), cell, 'docs/architecture.md has a cell that this test cannot read')
  return folders
}

/** Returns folders as the text of a table cell, for messages. */
export function writeReach(folders: readonly Reach[]): string {
  const words = folders.map(({ folder, files, typesOnly }) =>
    files === undefined ? folder : `${folder} (${typesOnly ? 'types of ' : ''}${files.join(', ')})`,
  )
  return words.length === 0 ? 'nothing' : words.join(', ')
}
