import type { Pages } from '@mediamill/lab/support/console/open-pages'
import type { Recipe } from '../../../../../../scripts/recipes/recipe.ts'

export const code = ({ page }: Pages) => page.getByRole('region', { name: 'Code for curl' })

export async function open(opened: Pages, url: string, { name, last }: Recipe): Promise<void> {
  const { page } = opened
  await page.goto(`${url}/docs/recipes/${name}`)
  await page.getByRole('link', { name: 'Open it in the playground' }).click()
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  await page.getByRole('tab', { name: 'curl' }).click()
  await code(opened).getByText(`/v1/${last.path}`).first().waitFor()
}

export async function sent(opened: Pages, { steps }: Recipe): Promise<unknown> {
  const text = (await code(opened).innerText()).replaceAll('\u00a0', ' ')
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
