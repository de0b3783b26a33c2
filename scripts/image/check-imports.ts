import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

// Fails if the trimmed packages of the image lack a module that the code imports: `check-imports.ts FOLDER ESBUILD`.
// ESBUILD is a folder with esbuild in node_modules, because the image has no esbuild.

const [project = '.', tools = '.'] = process.argv.slice(2)
const { build } = createRequire(join(tools, 'package.json'))('esbuild') as typeof import('esbuild')
const entryPoints = globSync('dist/**/*.js', { cwd: project }).map((name) => join(project, name))

// Resolve imports as Node.js does, which ignores builds for bundlers.
const { metafile } = await build({
  entryPoints,
  bundle: true,
  write: false,
  metafile: true,
  outdir: '/nowhere',
  platform: 'node',
  format: 'esm',
  conditions: [],
  mainFields: ['main'],
  external: ['*.node'],
  loader: { '.wasm': 'file' },
  absWorkingDir: project,
  logLevel: 'error',
})
const modules = Object.keys(metafile.inputs).length
if (modules < 1_000) throw new Error(`Only ${modules} modules were reached from ${entryPoints.length} files of dist.`)
process.stdout.write(`All ${modules} modules that our code reaches are there.\n`)
