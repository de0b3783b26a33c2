import { spawnSync } from 'node:child_process'
import { copyFile, cp, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildConsole } from './build-console.ts'

// Makes what the npm package needs: the pages of the console, and what a checkout does not need: `dist`, since Node.js strips no types under node_modules, and
// the lock file under the name that is honoured in a package, so that it runs on the versions it was tested with.

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

/** A file that a process is started with: its name stands in a string, which the compiler leaves as it is. */
const ENTRY = /(?<=(?:new URL|join)\([^()\n]*)\.ts(?=['`])/g

for await (const name of glob('**/*.js', { cwd: dist })) {
  const path = join(dist, name)
  const text = await readFile(path, 'utf8')
  if (ENTRY.test(text)) await writeFile(path, text.replaceAll(ENTRY, '.js'))
}
for await (const name of glob('**/*.{jpg,png,mp4,pdf,json}', { cwd: join(root, 'src') })) {
  await cp(join(root, 'src', name), join(dist, name))
}
await copyFile(join(root, 'package-lock.json'), join(root, 'npm-shrinkwrap.json'))
