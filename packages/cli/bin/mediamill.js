#!/usr/bin/env node
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(`mediamill: Node.js 22.12 or newer is required (got ${process.version}).\n`)
  process.exit(1)
}
// The cache contains code that will run, so only this user must be able to write to the folder.
module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mediamill-cli'))
await import('../dist/cli/src/main.js')
