import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { WITHOUT_BROWSER } from '@mediamill/lab/support/console/chromium'
import { inBrowser } from '@mediamill/lab/support/console/in-browser'
import type { Pages } from '@mediamill/lab/support/console/open-pages'
import { openPages } from '@mediamill/lab/support/console/open-pages'
import { waitForCount, waitForState } from '@mediamill/lab/support/console/page-state'
import { startService } from '@mediamill/lab/support/service'
import type { Recipe } from '../../../../../../scripts/recipes/recipe.ts'
import { bodyOf, readRecipes } from '../../../../../../scripts/recipes/recipe.ts'

const recipes = readRecipes()
const several = recipes.filter(({ steps }) => steps.length > 1)
assert.ok(recipes.length >= 24 && several.length >= 6, `${recipes.length}, ${several.length}`)

describe('the playground with a recipe', { skip: WITHOUT_BROWSER }, () => {
  let service: Awaited<ReturnType<typeof startService>>
  let opened: Pages
  inBrowser(async ({ browser, use }) => {
    service = use(await startService())
    opened = await openPages(browser, service, { kind: 'account', accountId: service.account.id })
  })

  const code = () => opened.page.getByRole('region', { name: 'Code for curl' })
  async function open({ name, last }: Recipe): Promise<void> {
    const { page } = opened
    await page.goto(`${service.url}/docs/recipes/${name}`)
    await page.getByRole('link', { name: 'Open it in the playground' }).click()
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
    await page.getByRole('tab', { name: 'curl' }).click()
    await code().getByText(`/v1/${last.path}`).first().waitFor()
  }
  /** Returns the body of the last call in the code panel. Renames the code's variables to the recipe's names. */
  async function sent({ steps }: Recipe): Promise<unknown> {
    const text = (await code().innerText()).replaceAll('\u00a0', ' ')
    const last = text.split("-H 'Prefer: wait=30' -d '").at(-1) ?? ''
    const names: Record<string, number> = {}
    return steps.reduce(
      (body, { path, gives }) => {
        const kind = path === 'stamps' ? 'TEXT' : 'RESULT'
        names[kind] = (names[kind] ?? 0) + 1
        const variable = names[kind] === 1 ? kind : `${kind}_${names[kind]}`
        return gives === undefined
          ? body
          : (JSON.parse(JSON.stringify(body).replaceAll(`"$${variable}"`, `"$${gives}"`)) as unknown)
      },
      JSON.parse(last.slice(0, last.indexOf("')\n")).replaceAll(`"'"$`, '"$').replaceAll(`"'"`, '"')) as unknown,
    )
  }

  for (const recipe of recipes) {
    const { path, text } = recipe.last
    test(`the playground contains all values of "${recipe.title}"`, async () => {
      const { page, assertClean } = opened
      const body = bodyOf({ path, text, gives: undefined }, service.url, new Map())
      await open(recipe)
      const steps = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Move / }) })
      await waitForState(() => sent(recipe), body)
      await waitForCount(steps, body.operations?.length ?? 0)
      assertClean()
    })
  }

  for (const recipe of several) {
    test(`the playground creates the inputs of "${recipe.title}" first, and then runs the recipe`, async () => {
      const { page, assertClean } = opened
      await open(recipe)
      const first = page.getByRole('region', { name: 'Steps before this request' })
      await waitForCount(first.getByRole('listitem'), recipe.steps.length - 1)
      await page.getByText(/^Free in test mode/).waitFor()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      // Processing a video may take long on a busy machine.
      await page.getByText('succeeded').waitFor({ timeout: 240_000 })
      await first.waitFor({ state: 'detached' })
      // The URL contains the earlier calls instead of their results, so it also works after the results are deleted.
      await page.waitForURL(/earlier=/)
      await waitForState<unknown>(() => sent(recipe), bodyOf(recipe.last, service.url, new Map()))
      assert.doesNotMatch(await code().innerText(), /upload:upl_|results/)
      assertClean()
    })
  }

  test('the playground creates a text watermark before the run, and shows it on the image', async () => {
    const { page, assertClean } = opened
    const recipe = several.find(({ name }) => name === 'watermark-tiles')
    assert.ok(recipe !== undefined)
    await open(recipe)
    await page.getByText('Create the text watermark “© Jane Doe”').waitFor()
    await page.getByRole('button', { name: 'Run these steps now' }).click()
    const steps = page.getByRole('region', { name: 'Steps before this request' })
    await steps.waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^Watermark position/ })
      .locator('img[src*=upl_]')
      .waitFor()
    assertClean()
  })
})
