import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from './app/postgres/paths.ts'

// Enable the cache before the other imports, so that they use cached compiled code.
enableCompileCache(COMPILE_CACHE)
const { main } = await import('./commands/main.ts')

// Exit explicitly. Otherwise, an open resource of a failed start would keep the process running.
process.exit(await main(process.argv.slice(2)))
