import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from './build-console.ts'

// What `npm ci` does last: builds the pages of the developer area, unless the packages for that were left out. An
// installation never fails for want of pages: in their place the service says how to build them.

const hasPackages = existsSync(join(import.meta.dirname, '../node_modules/vite'))
const problem = hasPackages ? await buildConsole() : 'the development packages are not installed.'
if (problem !== undefined) process.stderr.write(`The pages of the console were not built: ${problem}\n`)
