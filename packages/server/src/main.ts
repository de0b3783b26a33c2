import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from './app/postgres/paths.ts'

// Before anything else is loaded: stripped of its types and compiled once, a command starts in a third of the time.
enableCompileCache(COMPILE_CACHE)
const { main } = await import('./commands/main.ts')

// Not left to the event loop: what a failed start has opened must not keep the process alive.
process.exit(await main(process.argv.slice(2)))
