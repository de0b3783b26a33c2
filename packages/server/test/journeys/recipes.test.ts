import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { test } from 'node:test'
import { recipeFile } from '../../../../scripts/recipes/recipe.ts'
import { writeIndex, writePage } from '../../../../scripts/recipes/write-page.ts'
import { keptOf, recipes, testRecipe } from './recipes-fixture.ts'

test('the pages and the index of the 30 recipes are up to date (if not, run node scripts/write-recipes.ts)', async () => {
  assert.equal(recipes.length, 30)
  const read = (name: string) => readFile(recipeFile(name), 'utf8')
  const stale = 'is stale: run node_modules/.bin/node scripts/write-recipes.ts --pages'
  for (const recipe of recipes) {
    const page = await read(`${recipe.name}.md`)
    assert.ok(page === writePage(recipe, keptOf(recipe)), `${recipe.name} ${stale}`)
    assert.ok(Buffer.byteLength(page) < 40_000)
    for (const image of [`${recipe.name}-before.webp`, `${recipe.name}-after.webp`]) {
      assert.ok(page.includes(`](${image})`), image)
      const { size } = await stat(recipeFile(image))
      assert.ok(size > 500 && size <= 30_000, `${image} has ${size} bytes`)
    }
  }
  assert.ok((await read('README.md')) === writeIndex(recipes), `the index ${stale}`)
})

// recipes-more.test.ts runs the other recipes.
for (const [index, recipe] of recipes.entries()) if (index % 2 === 0) testRecipe(recipe)
