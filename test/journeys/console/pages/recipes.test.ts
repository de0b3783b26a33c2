import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Recipe } from '../../../../scripts/recipes/recipe.ts'
import { bodyOf, readRecipes } from '../../../../scripts/recipes/recipe.ts'
import { WITHOUT_BROWSER } from '../../../support/console/chromium.ts'
import { inBrowser } from '../../../support/console/in-browser.ts'
import type { Pages } from '../../../support/console/open-pages.ts'
import { openPages } from '../../../support/console/open-pages.ts'
import { startService } from '../../../support/service.ts'

const recipes = readRecipes()
const several = recipes.filter(({ steps }) => steps.length > 1)
assert.ok(recipes.length >= 24 && several.length >= 6, `${recipes.length}, ${several.length}`)

/** What a source looks like that a recipe's earlier call gives: a stamp, or the link of a file. */
const GIVEN = /^(?:upload:upl_[0-9a-f]{32}|http:\/\/.+\/v1\/results\/\d+\?.+)$/

describe('the playground that recipes lead to', { skip: WITHOUT_BROWSER }, () => {
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
  async function sent(): Promise<unknown> {
    const text = (await code().innerText()).replaceAll('\u00a0', ' ')
    return JSON.parse(/ -d '(\{[^]*\})'/.exec(text)?.[1] ?? 'null')
  }

  for (const recipe of recipes) {
    const { path, text } = recipe.last
    test(`is filled with all that "${recipe.title}" sends [rulings 13, 20]`, async () => {
      const { page, assertClean } = opened
      const body = bodyOf({ path, text, gives: undefined }, service.url, new Map())
      await open(recipe)
      const steps = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Move / }) })
      assert.deepEqual(await sent(), body)
      assert.equal(await steps.count(), body.operations?.length ?? 0)
      assertClean()
    })
  }

  for (const recipe of several) {
    test(`makes first what "${recipe.title}" needs, and runs it [rulings 13, 20]`, async () => {
      const { page, assertClean } = opened
      await open(recipe)
      const first = page.getByRole('region', { name: 'Made first' })
      assert.equal(await first.getByRole('listitem').count(), recipe.steps.length - 1)
      await page.getByText(/^Free here; live it costs /).waitFor()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      // A video may take a while on a machine that does other things too.
      await page.getByText('succeeded').waitFor({ timeout: 240_000 })
      await first.waitFor({ state: 'detached' })
      // What stood for it in the fields is what was made, so that the code runs as it is.
      const names = recipe.steps.map(({ gives }) => gives).filter((name) => name !== undefined)
      await page.waitForFunction(`!document.body.innerText.includes('"$')`)
      const filled = JSON.stringify(await sent())
      const expected = JSON.stringify(bodyOf(recipe.last, service.url, new Map()))
      const [fixed = '', ...others] = expected.split(new RegExp(`\\$(?:${names.join('|')})(?=")`))
      assert.ok(filled.startsWith(fixed))
      let rest = filled.slice(fixed.length)
      for (const between of others) {
        const at = rest.indexOf('"')
        assert.match(rest.slice(0, at), GIVEN)
        assert.ok(rest.slice(at).startsWith(between), `${rest.slice(at)} is not ${between}`)
        rest = rest.slice(at + between.length)
      }
      assertClean()
    })
  }

  test('draws a stamp by itself too, and keeps it in the address [rulings 13, 20]', async () => {
    const { page, assertClean } = opened
    const recipe = several.find(({ name }) => name === 'watermark-tiles')
    assert.ok(recipe !== undefined)
    await open(recipe)
    await page.getByText('Draws the text “© Jane Doe”').waitFor()
    await page.getByRole('button', { name: 'Make it' }).click()
    await page.waitForURL((url) => /upload:upl_/.test(decodeURIComponent(url.search)) && !/earlier=/.test(url.search))
    await page.reload()
    await code().getByText('upload:upl_').first().waitFor()
    assert.equal(await page.getByRole('region', { name: 'Made first' }).count(), 0)
    assertClean()
  })
})
