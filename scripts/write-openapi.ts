/**
 * Writes docs/openapi.json, the description of the interface as a service with default settings serves it, and the catalog of
 * operations that the client's command line comes with.
 */
import { writeFile } from 'node:fs/promises'
import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import { readConfig } from '@mediamill/server/config/config'
import { describeInterface } from '@mediamill/server/http/description/document'

const description = describeInterface(readConfig({}).baseUrl)
await writeFile(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(description, null, 2)}\n`)

const catalog = new URL('../packages/cli/src/operations/catalog.json', import.meta.url)
await writeFile(catalog, `${JSON.stringify(presentCatalog(), null, 2)}\n`)
