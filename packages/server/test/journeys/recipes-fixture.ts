import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { sharedService } from '@mediamill/lab/support/service'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { curlCode, madeFile, pythonCode, shellCode, typescriptCode } from '../../../../scripts/recipes/code.ts'
import type { Recipe } from '../../../../scripts/recipes/recipe.ts'
import { readRecipes, WRITTEN_ADDRESS } from '../../../../scripts/recipes/recipe.ts'
import { imageOf, pixelsAt, runRecipe } from '../../../../scripts/recipes/run-recipe.ts'
import type { Kept } from '../../../../scripts/recipes/write-page.ts'

const root = join(import.meta.dirname, '../../../..')
export const recipes = readRecipes()
const kept: Record<string, Kept> = JSON.parse(await readFile(join(root, 'lab/fixtures/recipes.json'), 'utf8'))
const service = await sharedService()
const folder = await sharedFolder('mediamill-recipes-')
const kitchen = { url: service.url, key: service.account.liveKey, finish: service.finish }
const environment = {
  MEDIAMILL_URL: service.url,
  MEDIAMILL_API_KEY: service.account.liveKey,
  HOME: folder,
  // Cached, because the command line starts 40 times.
  NODE_COMPILE_CACHE: join(folder, 'compiled'),
  PATH: [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
}
Object.assign(process.env, { MEDIAMILL_URL: service.url, MEDIAMILL_API_KEY: service.account.liveKey })
await mkdir(join(folder, 'bin'))
await writeFile(
  join(folder, 'bin/mediamill'),
  `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'packages/server/src/main.ts')}' "$@"\n`,
  { mode: 0o755 },
)

/** The allowed difference of a color channel, because processors round differently. */
const COLOR_TOLERANCE = 6
const SIZE_TOLERANCE = 0.05

export function testRecipe(recipe: Recipe): void {
  // Two programs run at the same time, because each program waits half of its time.
  describe(`the recipe ${recipe.name}`, { concurrency: 2 }, async () => {
    const outcome = runRecipe(recipe, kitchen)

    test(`the recipe ${recipe.name} creates the image, video, or PDF that its page shows`, async () => {
      const { before, after, price, link, files } = await outcome
      const expected = keptOf(recipe)
      assert.deepEqual(withoutSize(before), withoutSize(expected.before))
      assert.deepEqual(withoutSize(after), withoutSize(expected.after))
      assert.equal(price, expected.price)
      if (expected.files !== undefined) assert.deepEqual(files.map(withoutSize), expected.files.map(withoutSize))
      const [size, expectedSize] = [after.size ?? 0, expected.after.size ?? 0]
      assert.ok(Math.abs(size - expectedSize) <= SIZE_TOLERANCE * expectedSize, `${size} bytes, not ${expectedSize}`)
      const pixels = await pixelsAt(await imageOf(kitchen, link, after))
      for (const [point, color] of Object.entries(expected.pixels)) {
        const distances = color.map((value, channel) => Math.abs(value - (pixels[point]?.[channel] ?? -999)))
        assert.ok(Math.max(...distances) <= COLOR_TOLERANCE, `${point} is ${pixels[point]}, not ${color}`)
      }
    })

    const programs: Record<string, () => Promise<unknown>> = {
      curl: () => run(recipe, 'curl', 'bash', ['-eu', '-o', 'pipefail', '-c', here(curlCode(recipe))]),
      Python: () => run(recipe, 'Python', 'python3', ['-c', here(pythonCode(recipe))]),
      'the command line': () => run(recipe, 'the command line', 'bash', ['-eu', '-c', here(shellCode(recipe))]),
      TypeScript: async () => {
        const file = join(await folderOf(recipe, 'TypeScript'), 'program.ts')
        const code = here(typescriptCode(recipe))
          .replace("'@mediamill/sdk'", `'${pathToFileURL(join(root, 'packages/sdk/src/index.ts')).href}'`)
          .replace(/\.save\((['`])/, `.save($1${dirname(file)}/`)
        await writeFile(file, code)
        await import(pathToFileURL(file).href)
      },
    }
    for (const [language, program] of Object.entries(programs)) {
      test(`the ${language} code of the recipe ${recipe.name} creates the same file as the recipe`, async () => {
        const { sha256, after } = await outcome
        await program()
        const made = await readFile(join(await folderOf(recipe, language), madeFile(recipe)))
        if (after.format === 'MP4') {
          // Two encodings of a video can differ in size.
          const size = after.size ?? 0
          assert.ok(Math.abs(made.length - size) <= SIZE_TOLERANCE * size, `${made.length} bytes, not ${size}`)
          return
        }
        assert.equal(createHash('sha256').update(made).digest('hex'), sha256)
      })
    }
  })
}

export function keptOf({ name }: Recipe): Kept {
  return kept[name] ?? assert.fail(`${name} was never run: run node_modules/.bin/node scripts/write-recipes.ts ${name}`)
}

const here = (code: string) => code.replaceAll(WRITTEN_ADDRESS, service.url)

async function folderOf({ name }: Recipe, language: string): Promise<string> {
  const path = join(folder, name, language.replaceAll(' ', '-'))
  await mkdir(path, { recursive: true })
  return path
}

const execute = promisify(execFile)

async function run(recipe: Recipe, language: string, program: string, words: string[]): Promise<void> {
  await execute(program, words, { cwd: await folderOf(recipe, language), env: environment })
}

/** Returns the metadata that must match exactly: all but the sizes, which differ between versions of an encoder. */
function withoutSize({
  size: _size,
  bitrate: _bitrate,
  ...metadata
}: Record<string, unknown>): Record<string, unknown> {
  return metadata
}
