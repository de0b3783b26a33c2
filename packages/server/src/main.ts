import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from './app/postgres/paths.ts'

// Runs before the other imports, because cached compiled code makes a command start faster.
enableCompileCache(COMPILE_CACHE)
const { main } = await import('./commands/main.ts')

// Exits explicitly, because resources of a failed start must not keep the process alive.
process.exit(await main(process.argv.slice(2)))
