import { enableCompileCache } from 'node:module'
import { COMPILE_CACHE } from '@mediamill/server/app/postgres/paths'

// Loaded before each test file: compiling the imports of a test file can take longer than its tests.
enableCompileCache(COMPILE_CACHE)
