import { spawnSync } from 'node:child_process'
import { cp, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildConsole } from './build-console.ts'
import { linkPackages } from './link-packages.ts'

// Builds the npm package: the console, `dist`, and npm-shrinkwrap.json. `dist` contains JavaScript, because Node.js
// does not strip types under node_modules. npm-shrinkwrap.json makes users install the tested versions: npm ignores
// any other lock file in a package.

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')

await rm(dist, { recursive: true, force: true })
const compiler = join(root, 'node_modules/.bin/tsc')
const { status } = spawnSync(compiler, ['-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })
if (status !== 0) process.exit(1)

const problem = await buildConsole()
if (problem !== undefined) {
  process.stderr.write(`The pages of the console were not built: ${problem}\n`)
  process.exit(1)
}

/** Matches `.ts` in the path of a child process. The path is a string, so the compiler does not change it. */
const ENTRY = /(?<=(?:new URL|join)\([^()\n]*)\.ts(?=['`])/g

await linkPackages(dist)
for await (const name of glob('**/*.js', { cwd: dist })) {
  const path = join(dist, name)
  const text = await readFile(path, 'utf8')
  if (ENTRY.test(text)) await writeFile(path, text.replaceAll(ENTRY, '.js'))
}
for await (const name of glob('*/src/**/*.{jpg,png,gif,heic,mp4,pdf,json}', { cwd: join(root, 'packages') })) {
  await cp(join(root, 'packages', name), join(dist, name))
}
await cp(join(root, 'packages/server/migrations'), join(dist, 'server/migrations'), { recursive: true })
// An installed package has no Git history, so `mediamill --version` reads the commit from this file. Builds of the
// image have no `.git`, so they set COMMIT.
const commit = process.env['COMMIT'] || spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout
if (commit) await writeFile(join(dist, 'commit'), commit)
// Remove the workspaces from the lock file, because they are compiled into `dist`.
const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { workspaces?: unknown; link?: boolean }>
}
delete lock.packages['']?.workspaces
for (const [path, { link }] of Object.entries(lock.packages))
  if (link === true || /^(?:packages|lab)(?:\/|$)/.test(path)) delete lock.packages[path]
await writeFile(join(root, 'npm-shrinkwrap.json'), `${JSON.stringify(lock, undefined, 2)}\n`)
