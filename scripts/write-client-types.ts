/** Writes packages/sdk/src/api-types.ts, the types of the library, from docs/openapi.json. */
import { readFile, writeFile } from 'node:fs/promises'
import { clientTypes } from './client/client-types.ts'

const description = JSON.parse(await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8'))
await writeFile(new URL('../packages/sdk/src/api-types.ts', import.meta.url), clientTypes(description))
