import { globSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openSite } from '@mediamill/server/http/routes/docs/site'
import { searchScript, staticPage } from './docs/static-page.ts'

// Writes the documentation as a static site: `npm run docs -- [FOLDER] [ADDRESS]`, by default into site/. Links to the
// OpenAPI description and to the samples lead to ADDRESS.

const root = join(import.meta.dirname, '..')
const [folder = join(root, 'site'), address = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const baseUrl = address.replace(/\/$/, '')
const site = openSite({ baseUrl })

const pageFile = (slug: string) => join('docs', slug, 'index.html')
const markdownFile = (slug: string) => join('docs', `${slug || 'start'}.md`)
const assets = globSync(['docs/assets/*', 'docs/recipes/*.{jpg,png,webp,gif}'], { cwd: root })
const pages = site.slugs.flatMap((slug) => {
  const page = site.page(slug)
  return page === undefined ? [] : [{ slug, page }]
})
const files = new Set([...assets, ...pages.flatMap(({ slug }) => [pageFile(slug), markdownFile(slug)])])

async function write(path: string, text: string): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

await rm(folder, { recursive: true, force: true })
for (const { slug, page } of pages) {
  await write(pageFile(slug), staticPage(page.html(), { file: pageFile(slug), files, baseUrl }))
  await write(markdownFile(slug), page.markdown())
}
await write('docs/search.js', searchScript(site.search(), { files, baseUrl }))
await write('llms.txt', site.llms())
await write('llms-full.txt', site.llmsFull())
for (const file of assets) await cp(join(root, file), join(folder, file))
process.stdout.write(`${pages.length} pages are in ${folder}\n`)
