import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

export type Migration = {
  name: string
  checksum: string
  text: string
  /** The statements to run one by one without a transaction. `undefined` if the file runs as one transaction. */
  statements: string[] | undefined
}

/** The first line of a migration file whose statements run one by one, without a transaction. */
const STATEMENT_BY_STATEMENT = '-- Outside a transaction'

export const filesOf = async (folder: URL): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()

/** Reads a migration file. A released file must never change, because databases store its checksum. */
export async function readMigration(folder: URL, name: string): Promise<Migration> {
  const landed = await read(new URL(name, folder))
  const checksum = createHash('sha256').update(landed).digest('hex')
  const text = await read(new URL(`instead/${name}`, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return landed
  })
  return { name, checksum, text, statements: text.startsWith(STATEMENT_BY_STATEMENT) ? statementsOf(text) : undefined }
}

// Git may convert line endings on checkout, which must not change the checksum.
const read = async (file: URL) => (await readFile(file, 'utf8')).replaceAll('\r\n', '\n')

/** Splits a file into statements. The file has no functions, and semicolons only at the ends of lines. */
const statementsOf = (text: string) =>
  text
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
