import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from '@mediamill/server/app/postgres/paths'

// `npm test` loads this module before each test file with `node --import`. Without a cache, compiling the imports of a
// test file can take longer than its tests.
enableCompileCache(COMPILE_CACHE)
