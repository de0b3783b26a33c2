import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from './build-console.ts'

// The last step of `npm ci`: builds the console if its development dependencies are installed. Without the console,
// the installation succeeds, and the service shows how to build the console.

const hasPackages = existsSync(join(import.meta.dirname, '../node_modules/vite'))
const problem = hasPackages ? await buildConsole() : 'the development packages are not installed.'
if (problem !== undefined) process.stderr.write(`The pages of the console were not built: ${problem}\n`)
