/** Writes the description of the API in docs/, the operation catalog of the command line, and the tables of docs/reference. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { readReference } from '@mediamill/lab/support/reference-tables'
import { describedFiles } from './description/described-files.ts'

const root = join(import.meta.dirname, '..')
for (const [file, text] of Object.entries(describedFiles())) await writeFile(join(root, file), text)

const catalog = new URL('../packages/cli/src/operations/catalog.json', import.meta.url)
await writeFile(catalog, `${JSON.stringify(presentCatalog(), null, 2)}\n`)

for (const { file, written, expected } of readReference(root)) {
  if (written !== expected) await writeFile(join(root, file), expected)
}
