/**
 * Writes docs/openapi.json, the description of the interface as a service with default settings serves it, and the catalog of
 * operations that the client's command line comes with.
 */
import { writeFile } from 'node:fs/promises'
import { presentCatalog } from '../src/contract/present-catalog.ts'
import { describeInterface } from '../src/http/description/document.ts'
import { readConfig } from '../src/runtime/config/config.ts'

const description = describeInterface(readConfig({}).baseUrl)
await writeFile(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(description, null, 2)}\n`)

const catalog = new URL('../src/commands/client/operations/catalog.json', import.meta.url)
await writeFile(catalog, `${JSON.stringify(presentCatalog(), null, 2)}\n`)
