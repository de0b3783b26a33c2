import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from './app/postgres/paths.ts'

// Before the other imports: compiled code makes a command start faster.
enableCompileCache(COMPILE_CACHE)
const { main } = await import('./commands/main.ts')

// Exits explicitly, because resources of a failed start must not keep the process alive.
process.exit(await main(process.argv.slice(2)))
