import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../../..')

/** The files that import all other files of the API server. */
const API_FILES = [
  'packages/contract/src/{operations,endpoints}/index.ts',
  'packages/server/src/http/**/*.ts',
  'packages/server/src/commands/api.ts',
]

async function librariesAfterImporting(files: string[]): Promise<string[]> {
  const program = `
    for (const file of ${JSON.stringify(files.map((file) => pathToFileURL(file).href))}) await import(file)
    process.report.excludeNetwork = true
    process.stdout.write(JSON.stringify(process.report.getReport().sharedObjects))`
  const child = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { cwd: root })
  const loaded: string[] = JSON.parse(child.stdout)
  return loaded.filter((path) => path.includes('/node_modules/') && /\.(?:node|dylib|so[.\d]*)$/.test(path))
}

test('the API process imports all its modules without a native library', async () => {
  const files = globSync(API_FILES, { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  assert.ok(
    files.includes(join('packages', 'contract', 'src', 'operations', 'index.ts')),
    `the sources were not found from ${root}`,
  )
  assert.deepEqual(await librariesAfterImporting(files.map((path) => join(root, path))), [])
})

test('the check for native libraries detects an imported native library', async () => {
  const found = await librariesAfterImporting([fileURLToPath(import.meta.resolve('sharp'))])
  assert.ok(
    found.some((path) => /vips/.test(path)),
    found.join('\n'),
  )
})
