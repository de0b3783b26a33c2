import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from '@mediamill/server/app/postgres/paths'

// Node.js loads this module before each test file, because compiling its imports can take longer than its tests.
enableCompileCache(COMPILE_CACHE)
