import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')

/** Where the API process begins; everything that it is made of is imported from here. */
const API_ENTRY = join(root, 'src/commands/api.ts')

/** Shared libraries from the project's packages that a new process holds once it has imported `files`. */
async function librariesAfterImporting(files: string[]): Promise<string[]> {
  const program = `
    for (const file of ${JSON.stringify(files.map((file) => pathToFileURL(file).href))}) await import(file)
    process.report.excludeNetwork = true
    process.stdout.write(JSON.stringify(process.report.getReport().sharedObjects))`
  const child = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { cwd: root })
  const loaded: string[] = JSON.parse(child.stdout)
  return loaded.filter((path) => path.includes('/node_modules/') && /\.(?:node|dylib|so[.\d]*)$/.test(path))
}

test('the API process loads no native library: everything it is made of is imported, and none is there', async () => {
  assert.deepEqual(await librariesAfterImporting([API_ENTRY]), [])
})

test('the check above sees a native library where there is one', async () => {
  const found = await librariesAfterImporting([fileURLToPath(import.meta.resolve('sharp'))])
  assert.ok(
    found.some((path) => /vips/.test(path)),
    found.join('\n'),
  )
})
