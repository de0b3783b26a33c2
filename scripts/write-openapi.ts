/** Writes docs/openapi.json, the operation catalog of the command line, and the tables of docs/reference. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { readReference } from '@mediamill/lab/support/reference-tables'
import { readConfig } from '@mediamill/server/config/config'
import { describeInterface } from '@mediamill/server/http/description/document'

const root = join(import.meta.dirname, '..')
const description = describeInterface(readConfig({}).baseUrl)
await writeFile(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(description, null, 2)}\n`)

const catalog = new URL('../packages/cli/src/operations/catalog.json', import.meta.url)
await writeFile(catalog, `${JSON.stringify(presentCatalog(), null, 2)}\n`)

for (const { file, written, expected } of readReference(root)) {
  if (written !== expected) await writeFile(join(root, file), expected)
}
