import { globSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Site } from '../src/http/routes/docs/site.ts'

// Writes the documentation as a static site: `npm run docs -- [FOLDER] [ADDRESS]`, by default into site/. What needs a running
// service stays out: the page that tries calls, and the samples.

const root = join(import.meta.dirname, '..')
const [folder = join(root, 'site'), baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const site = new Site({ baseUrl })

async function write(path: string, text: string | Uint8Array): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

await rm(folder, { recursive: true, force: true })
for (const slug of site.slugs) {
  const page = site.page(slug)
  if (page === undefined) continue
  await write(join('docs', slug, 'index.html'), page.html())
  await write(join('docs', `${slug || 'start'}.md`), page.markdown())
}
await write('docs/search.json', site.search())
await write('llms.txt', site.llms())
await write('llms-full.txt', site.llmsFull())
await cp(join(root, 'docs/assets'), join(folder, 'docs/assets'), { recursive: true })
for (const file of globSync('docs/recipes/*.{jpg,png,webp,gif}', { cwd: root })) {
  await cp(join(root, file), join(folder, file))
}
process.stdout.write(`${site.slugs.length} pages are in ${folder}\n`)
