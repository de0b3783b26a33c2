/** Writes packages/sdk/api.md, the page of the library's methods, from docs/openapi.json. */
import { readFile, writeFile } from 'node:fs/promises'
import { apiPage } from './client/api-page.ts'

const description = JSON.parse(await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8'))
await writeFile(new URL('../packages/sdk/api.md', import.meta.url), apiPage(description))
