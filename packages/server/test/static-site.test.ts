import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'mediamill-site-'))
after(() => rmSync(folder, { recursive: true }))
const service = 'https://media.example.com/below'
execFileSync(process.execPath, [join(root, 'scripts/write-docs.ts'), folder, service])
const pages = globSync('docs/**/*.html', { cwd: folder })
const read = (path: string) => readFileSync(join(folder, path), 'utf8')

const addressesOf = (html: string) =>
  [...html.matchAll(/ (href|src|data-search|data-docs)="([^"]*)"/g)].map(([, name = '', address = '']) => ({
    name,
    address: address.replaceAll('&amp;', '&'),
  }))

test('every link of the static site leads to an existing file and anchor, from any folder and from a disk', () => {
  assert.ok(pages.length > 60, String(pages.length))
  const isDead = (page: string, address: string) => {
    const [path = '', hash] = address.split('#')
    const file = path === '' ? join(folder, page) : resolve(dirname(join(folder, page)), path)
    if (address.startsWith('/') || !existsSync(file)) return true
    return hash !== undefined && !readFileSync(file, 'utf8').includes(`id="${decodeURIComponent(hash)}"`)
  }
  const dead = pages.flatMap((page) =>
    addressesOf(read(page))
      .filter(({ address }) => !/^(?:https?|mailto):/.test(address) && isDead(page, address))
      .map(({ address }) => `${page}: ${address}`),
  )
  assert.deepEqual(dead, [])
  const folders = pages.flatMap((page) =>
    addressesOf(read(page)).filter(({ name, address }) => name === 'href' && address !== '' && isFolder(page, address)),
  )
  assert.deepEqual(folders, [])
})

/** Returns whether a link leads to a folder. Without a web server, a browser would list the folder's files. */
function isFolder(page: string, address: string): boolean {
  if (/^(?:[a-z]+:|#)/.test(address)) return false
  return statSync(resolve(dirname(join(folder, page)), address.split('#')[0] ?? '')).isDirectory()
}

test('a page of the static site loads nothing from other hosts, and links to a service for features that need one', () => {
  for (const page of pages) {
    const loaded = [...read(page).matchAll(/<(?:script|img|link)\b[^>]* (?:src|href)="([^"]*)"/g)].map(([, one]) => one)
    assert.ok(loaded.length >= 4)
    assert.deepEqual(
      loaded.filter((address) => /^[a-z]+:|^\//.test(address ?? '')),
      [],
      page,
    )
  }
  assert.ok(read('docs/reference/index.html').includes(`href="${service}/v1/openapi.json"`))
  assert.ok(read('docs/index.html').includes(`MEDIAMILL_URL=${service}`))
})

test('the search of the static site needs no server, and every search entry leads to an existing page and heading', () => {
  const text = read('docs/search.js')
  assert.match(text, /^globalThis\.searchEntries = \[/)
  const entries: { path: string }[] = JSON.parse(text.slice(text.indexOf('[')))
  assert.ok(entries.length > 400, String(entries.length))
  const lost = entries.filter(({ path }) => {
    const [file = '', hash] = path.split('#')
    return (
      !existsSync(join(folder, 'docs', file)) || (hash !== undefined && !read(`docs/${file}`).includes(`id="${hash}"`))
    )
  })
  assert.deepEqual(lost, [])
})
