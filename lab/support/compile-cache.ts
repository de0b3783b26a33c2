import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from '@mediamill/server/app/postgres/paths'

// `npm test` loads this module before each file with `node --import`. Most files load the same modules, and compiling them takes as long as a short file.
enableCompileCache(COMPILE_CACHE)
