/** Builds packages/cli/dist: the client's command line, compiled, with only the files that it loads. */
import { spawnSync } from 'node:child_process'
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { publishManifest, restoreManifest } from './client/published-manifest.ts'
import { linkPackages } from './link-packages.ts'

const root = join(import.meta.dirname, '..')
const home = join(root, 'packages/cli')
const build = join(home, 'build')
const dist = join(home, 'dist')

const PACKAGES = new Set(['commander'])
/** Matches import and export statements at the start of a line. An indented statement is part of a string. */
const IMPORT = /^(?:import|export|\})[^'`\n]* from '([^']+)';?$|^import '([^']+)';?$|\bimport\('([^']+)'\)/gm

for (const folder of [build, dist]) await rm(folder, { recursive: true, force: true })
if (process.argv.includes('--clean')) {
  await restoreManifest(home)
  await rm(join(home, 'LICENSE'), { force: true })
  process.exit(0)
}
try {
  const compiler = join(root, 'node_modules/.bin/tsc')
  const { status } = spawnSync(compiler, ['-p', join(home, 'tsconfig.json')], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
  await linkPackages(build)
  const loaded = new Set<string>()
  await follow(join(build, 'cli/src/main.js'), loaded)
  for (const path of loaded) await place(path, join(dist, relative(build, path)))
  const catalog = 'cli/src/operations/catalog.json'
  await place(join(root, 'packages', catalog), join(dist, catalog))
  await copyFile(join(root, 'LICENSE'), join(home, 'LICENSE'))
  await publishManifest(home, { mediamill: 'bin/mediamill.js' })
} finally {
  await rm(build, { recursive: true, force: true })
}

async function follow(path: string, loaded: Set<string>): Promise<void> {
  if (loaded.has(path)) return
  loaded.add(path)
  for (const [, named, bare, late] of (await readFile(path, 'utf8')).matchAll(IMPORT)) {
    const name = named ?? bare ?? late ?? ''
    if (name.startsWith('.')) await follow(join(dirname(path), name), loaded)
    else if (!name.startsWith('node:') && !PACKAGES.has(name)) {
      throw new Error(`${relative(build, path)} loads ${name}, which the command-line package does not include`)
    }
  }
}

async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, to)
}
