/** Writes docs/openapi.json, the description of the interface as a service with default settings serves it. */
import { writeFile } from 'node:fs/promises'
import { describeInterface } from '../src/http/description/document.ts'
import { readConfig } from '../src/runtime/config/config.ts'

const description = describeInterface(readConfig({}).baseUrl)
await writeFile(new URL('../docs/openapi.json', import.meta.url), `${JSON.stringify(description, null, 2)}\n`)
