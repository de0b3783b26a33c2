/**
 * Writes the generated parts of docs/recipes: `node_modules/.bin/node scripts/write-recipes.ts [NAME…]`.
 * Runs each recipe on a service, and stores the outcome in lab/fixtures/recipes.json for a test. Look at the images
 * before you commit them. `--pages` only writes the pages, from the stored outcomes.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startService } from '@mediamill/lab/support/service'
import { madeFile } from './recipes/code.ts'
import type { Recipe } from './recipes/recipe.ts'
import { readRecipes, recipeFile } from './recipes/recipe.ts'
import type { Kitchen } from './recipes/run-recipe.ts'
import { imageOf, linkOf, pixelsAt, runRecipe, succeed } from './recipes/run-recipe.ts'
import type { Kept } from './recipes/write-page.ts'
import { writeIndex, writePage } from './recipes/write-page.ts'

const MAX_BYTES = 30_000
const WIDEST = 480

const names = process.argv.slice(2)
const keptFile = join(import.meta.dirname, '../lab/fixtures/recipes.json')
const kept: Record<string, Kept> = JSON.parse(await readFile(keptFile, 'utf8').catch(() => '{}'))
const recipes = readRecipes()

if (!names.includes('--pages')) {
  await using service = await startService()
  const kitchen = { url: service.url, key: service.account.liveKey, finish: service.finish }
  for (const recipe of recipes) {
    if (names.length === 0 || names.includes(recipe.name)) kept[recipe.name] = await cook(recipe, kitchen)
  }
}
const known = Object.fromEntries(recipes.flatMap(({ name }) => (kept[name] === undefined ? [] : [[name, kept[name]]])))
await writeFile(keptFile, `${JSON.stringify(known, null, 2)}\n`)
for (const recipe of recipes) {
  const metadata = kept[recipe.name]
  if (metadata !== undefined) await writeFile(recipeFile(`${recipe.name}.md`), writePage(recipe, metadata))
}
await writeFile(recipeFile('README.md'), writeIndex(recipes))
process.exit(0)

async function cook(recipe: Recipe, kitchen: Kitchen): Promise<Kept> {
  const { source, before, after, price, link, files } = await runRecipe(recipe, kitchen)
  const [first, last] = [await imageOf(kitchen, source, before), await imageOf(kitchen, link, after)]
  // Show photos upright, except in the recipe about orientation.
  const turn = recipe.name === 'upright-photo' ? [] : [{ type: 'orient' }]
  const sizes = [
    await keepImage(kitchen, first, `${recipe.name}-before.webp`, turn),
    await keepImage(kitchen, last, `${recipe.name}-after.webp`, []),
  ]
  process.stdout.write(`${madeFile(recipe)}: images of ${sizes.join(' and ')} bytes, ${JSON.stringify(after)}\n`)
  return { before, after, price, pixels: await pixelsAt(last), ...(files.length > 1 && { files }) }
}

async function keepImage(kitchen: Kitchen, source: string, name: string, turn: object[]): Promise<number> {
  const { result } = await succeed(kitchen, 'images/read', { source })
  const widest = Math.min(WIDEST, result.data.width ?? WIDEST)
  for (const [quality, share] of [
    [80, 1],
    [65, 1],
    [50, 1],
    [40, 0.75],
    [30, 0.5],
  ] as const) {
    const box = Math.round(widest * share)
    const thumbnail = { type: 'thumbnail', width: box, height: box, quality }
    const body = { source, operations: [...turn, thumbnail], output: { format: 'webp' } }
    const image = await fetch(linkOf(await succeed(kitchen, 'images/process', body)))
    const bytes = new Uint8Array(await image.arrayBuffer())
    if (bytes.length > MAX_BYTES) continue
    await writeFile(recipeFile(name), bytes)
    return bytes.length
  }
  throw new RangeError(`${name} has too many bytes`)
}
