import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** One file of `migrations/`. What it is known by is its name and what it said when it landed. */
export type Migration = {
  name: string
  checksum: string
  /** What is run. */
  text: string
  /** The same in statements that run each by itself, in no transaction, where the text asks for that. */
  statements: string[] | undefined
}

/** A migration of which each statement runs by itself, in no transaction: it begins with these words. */
const ALONE = '-- Outside a transaction'

/** Lists the migrations of a folder in order. */
export const filesOf = async (folder: URL): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()

/**
 * Reads a migration. A file that landed never changes, since databases know it by its checksum; one that keeps calls out
 * for too long has another of its name in the folder `instead`, which leads to the same schema and is run in its place.
 */
export async function readMigration(folder: URL, name: string): Promise<Migration> {
  const landed = await read(new URL(name, folder))
  const checksum = createHash('sha256').update(landed).digest('hex')
  const text = await read(new URL(`instead/${name}`, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return landed
  })
  return { name, checksum, text, statements: text.startsWith(ALONE) ? statementsOf(text) : undefined }
}

// Git may write other line ends into a checkout: they change nothing.
const read = async (file: URL) => (await readFile(file, 'utf8')).replaceAll('\r\n', '\n')

/** The statements of a file without functions: semicolons stand at the ends of lines alone. */
const statementsOf = (text: string) =>
  text
    .replaceAll(/^--.*\n/gm, '')
    .split(/;\n/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
