/** Compiles a package of packages/ into its dist, as it is published: `node scripts/compile-client.ts sdk`. */
import { spawnSync } from 'node:child_process'
import { copyFile, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { transform } from 'esbuild'
import { publishManifest, restoreManifest } from './client/published-manifest.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'packages', process.argv[2] ?? 'sdk')
const dist = join(folder, 'dist')

await rm(dist, { recursive: true, force: true })
if (process.argv.includes('--clean')) {
  await restoreManifest(folder)
  await rm(join(folder, 'LICENSE'), { force: true })
  process.exit(0)
}
const { status } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(folder, 'tsconfig.json')], {
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)

// In declarations, the compiler keeps imports of `.ts` files, which older compilers would not find.
for await (const name of glob('**/*.d.ts', { cwd: dist })) {
  const path = join(dist, name)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replaceAll(/(?<=(?:from|import\() ?['"]\.[^'"\n]*)\.ts(?=['"])/g, '.js'))
}
// Convert each file to CommonJS, for programs and test runners that cannot load ES modules, such as Jest.
const cjs = join(dist, 'cjs')
for await (const name of glob('**/*.{js,d.ts}', { cwd: dist, exclude: ['cjs/**'] })) {
  const text = await readFile(join(dist, name), 'utf8')
  const target = join(cjs, name)
  await mkdir(dirname(target), { recursive: true })
  const options = { format: 'cjs', target: 'es2022' } as const
  await writeFile(target, name.endsWith('.js') ? (await transform(text, options)).code : text)
}
await writeFile(join(cjs, 'package.json'), '{ "type": "commonjs" }\n')
await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
await publishManifest(folder)
