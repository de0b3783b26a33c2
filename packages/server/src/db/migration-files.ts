import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { unlessMissing } from '../lib/unless-missing.ts'

export type Migration = {
  name: string
  checksum: string
  text: string
  /** Statements to run one by one. If `undefined`, the whole file runs in one transaction. */
  statements: string[] | undefined
  /** Whether a role starts before this migration is applied, and then applies it. */
  inBackground: boolean
}

/** The first line of a file whose statements run one by one without a transaction. */
const STATEMENT_BY_STATEMENT = '-- Outside a transaction'

/** The first line of a file that only builds indexes that speed up calls. Its statements also run one by one. */
const IN_BACKGROUND = '-- In the background'

export const filesOf = async (folder: URL): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()

/** Reads a migration file. A released file must never change, because databases store its checksum. */
export async function readMigration(folder: URL, name: string): Promise<Migration> {
  const landed = await read(new URL(name, folder))
  const checksum = createHash('sha256').update(landed).digest('hex')
  const text = (await unlessMissing(read(new URL(`instead/${name}`, folder)))) ?? landed
  const inBackground = text.startsWith(IN_BACKGROUND)
  const isSplit = inBackground || text.startsWith(STATEMENT_BY_STATEMENT)
  return { name, checksum, text, statements: isSplit ? statementsOf(text) : undefined, inBackground }
}

// Git may have converted the line ends. Converts them back, so that the checksum does not change.
const read = async (file: URL) => (await readFile(file, 'utf8')).replaceAll('\r\n', '\n')

/** Splits a file into statements. Files have no functions, and semicolons only at the end of a line. */
const statementsOf = (text: string) =>
  text
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
