import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { OPERATIONS } from '@mediamill/contract/operations/index'
import { sharedService, startService } from '@mediamill/lab/support/service'
import { Documentation } from '../../src/http/routes/docs/pages.ts'
import { render } from '../../src/http/routes/docs/render.ts'

const service = await sharedService({ workers: false })
const { url } = service

const get = (path: string, accept = 'text/html,*/*') => fetch(new URL(path, url), { headers: { accept } })

function linksOf(html: string): { links: string[]; loads: string[] } {
  const all = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, target = '']) => target.replaceAll('&amp;', '&'))
  return {
    links: all(/<a [^>]*?href="([^"]*)"/g),
    loads: all(/<(?:img|script)[^>]*? src="([^"]*)"|<link[^>]*? href="([^"]*)"/g),
  }
}

const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))

async function crawl(): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const waiting = ['/docs']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path)) continue
    const response = await get(path)
    assert.equal(response.status, 200, path)
    const html = (response.headers.get('content-type') ?? '').startsWith('text/html') ? await response.text() : ''
    pages.set(path, html)
    const { links, loads } = linksOf(html)
    for (const link of [...links, ...loads]) {
      const target = new URL(link || '/docs', new URL(path, url))
      const isPage = target.origin === new URL(url).origin && !target.pathname.startsWith('/console/')
      if (isPage) waiting.push(target.pathname)
    }
  }
  return pages
}

const pages = await crawl()

test('every documentation page is linked from /docs, and no link or anchor is dead', () => {
  assert.ok(pages.size > 50, String(pages.size))
  const dead = [...pages].flatMap(([path, html]) =>
    linksOf(html).links.flatMap((link) => {
      const target = new URL(link, new URL(path, url))
      if (target.origin !== new URL(url).origin || target.hash === '') return []
      const isThere = idsOf(pages.get(target.pathname) ?? '').has(decodeURIComponent(target.hash.slice(1)))
      return isThere ? [] : [`${path} leads to ${link}`]
    }),
  )
  assert.deepEqual(dead, [])
})

test('documentation pages load nothing from other hosts and run no inline code, so they work offline [docs.pages.1]', async () => {
  for (const [path, html] of pages) {
    if (html === '') continue
    assert.doesNotMatch(html, /<script(?![^>]* src=)|<style|\son\w+=|style="/, path)
    const foreign = linksOf(html).loads.filter((load) => new URL(load, url).origin !== new URL(url).origin)
    assert.deepEqual(foreign, [], path)
    assert.ok(Buffer.byteLength(html) < (path === '/docs/reference/calls' ? 500_000 : 150_000), path)
  }
  for (const path of ['/docs/images', '/docs/reference', '/docs/reference/']) {
    const policy = (await get(path)).headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /, path)
    assert.doesNotMatch(policy, /unsafe/, path)
  }
})

test('a documentation page is available as Markdown by its .md name, by Accept, and by its Link header [docs.pages.2]', async () => {
  const page = await get('/docs/uploads')
  assert.equal(page.headers.get('link'), '</docs/uploads.md>; rel="alternate"; type="text/markdown"')
  assert.equal(page.headers.get('vary'), 'Accept, Accept-Encoding')
  const texts = [await get('/docs/uploads.md'), await get('/docs/uploads', 'text/markdown')]
  for (const text of texts) assert.equal(text.headers.get('content-type'), 'text/markdown; charset=utf-8')
  const [named, asked] = [await texts[0]?.text(), await texts[1]?.text()]
  assert.equal(named, asked)
  assert.match(named ?? '', /^# Uploads\n/)
  assert.match((await get('/docs', '*/*')).headers.get('content-type') ?? '', /^text\/html/)
  assert.match(await (await get('/docs/start.md')).text(), /^# Mediamill\n/)
})

test('every documentation page shows the address of this service instead of the placeholder [docs.pages.1]', async () => {
  await using other = await startService({ workers: false, settings: { BASE_URL: 'https://media.example.com/mill' } })
  const start = await (await fetch(`${other.url}/docs`, { headers: { accept: 'text/html' } })).text()
  assert.match(start, /MEDIAMILL_URL=https:\/\/media\.example\.com\/mill\n/)
  assert.match(start, /href="\/mill\/docs\/images"/)
  assert.match(
    await (await fetch(`${other.url}/llms.txt`)).text(),
    /curl -s https:\/\/media\.example\.com\/mill\/v1\/images/,
  )
})

test('llms.txt contains a working first call, and links to existing pages [docs.pages.2]', async () => {
  const text = await (await get('/llms.txt')).text()
  const links = [...text.matchAll(/\]\((http[^)]+)\)/g)].map(([, link = '']) => link)
  assert.ok(links.length >= 10)
  for (const link of links) assert.equal((await fetch(link)).status, 200, link)
  const [, path = '', body = ''] = /```sh\ncurl -s http:\/\/[^/]+(\S+) [^]*? -d '([^']+)'\n```/.exec(text) ?? []
  const response = await service.call('POST', path, { body: JSON.parse(body) })
  assert.equal(response.status, 202)
  const [, stamp = ''] = /POST http:\S+\/stamps with `([^`]+)`/.exec(text) ?? []
  assert.equal(JSON.parse(stamp).type, 'text')
  // The file lists the parameters of each endpoint, so that an agent needs no other page.
  for (const { name, body: taken } of ENDPOINTS) {
    const [line = ''] = new RegExp(`^- POST /v1/${name}: .*$`, 'm').exec(text) ?? []
    for (const field of Object.keys(taken.shape)) assert.ok(line.includes(`\`${field}\``), `${name} takes ${field}`)
  }
  for (const { name, params } of OPERATIONS) {
    const [line = ''] = new RegExp(`^- \`${name}\` .*$`, 'm').exec(text) ?? []
    for (const field of Object.keys(params.shape)) assert.ok(line.includes(`\`${field}\``), `${name} takes ${field}`)
  }
  assert.match(text, /`output` \{"format": jpg \| png \| webp \| gif \| tif\}/)
  assert.match(text, /`seconds` integer 0 to 86400, required;/)
  assert.match(text, /`degrees` integer -360 to 360, required; `flip_horizontal` boolean, false when left out/)
  assert.match(text, /\/docs\/recipes\/watermark-tiles\.md\): Repeat a name over the whole photo/)
  const lines = text.split('\n').filter((line) => line.startsWith('- ['))
  assert.deepEqual(
    lines.filter((line) => !/\.md\): \S.{15,}\.$/.test(line)),
    [],
  )
  assert.ok(text.length < 24_000, String(text.length))
  const full = await (await get('/llms-full.txt')).text()
  assert.match(full, /^# Mediamill\n[^]*\n# Images\n[^]*\n# API reference\n/)
  assert.doesNotMatch(full, /\n# Architecture\n/)
})

test('the search of the documentation finds the headings of every page, and each entry leads to an existing anchor', async () => {
  const entries: { path: string; heading: string; text: string }[] = JSON.parse(
    await (await get('/docs/search.json')).text(),
  )
  assert.ok(entries.length > 150, String(entries.length))
  for (const { path } of entries) {
    const { pathname, hash } = new URL(path, url)
    const html = pages.get(pathname)
    assert.ok(html !== undefined && (hash === '' || idsOf(html).has(decodeURIComponent(hash.slice(1)))), path)
  }
  assert.ok(entries.some(({ heading, text }) => heading === 'insufficient_credits' && text.includes('402')))
  const first = entries.find(({ path }) => path.endsWith('/docs/retries'))
  assert.ok(first !== undefined && first.text.length > 20, 'what stands below the title of a page is found, too')
  const section = entries.find(({ path }) => path.endsWith('/docs/reference#pagination'))
  assert.match(section?.text ?? '', /has_more/, 'each text is that of its own heading')
})

test('a documentation page that moved redirects to its new address, and so does its Markdown version', async () => {
  for (const [path, target] of [
    ['/docs/limits', '/docs/retries'],
    ['/docs/idempotency.md', '/docs/retries.md'],
    ['/docs/interface', '/docs/reference'],
    ['/docs/rulings.md', '/docs/reference.md'],
    ['/docs/licences', '/docs/licenses'],
    ['/docs/operate/systemd.md', '/docs/operate/fleet.md'],
  ] as const) {
    const response = await fetch(url + path, { redirect: 'manual' })
    assert.deepEqual([response.status, response.headers.get('location')], [301, target])
  }
})

test('the style sheet and the script of /docs are sent with br, gzip, or no compression, as the client accepts', async () => {
  for (const name of ['docs.css', 'docs.js']) {
    const [plain, ...encoded] = await Promise.all(
      ['identity', 'br', 'gzip'].map((encoding) =>
        fetch(`${url}/docs/assets/${name}`, { headers: { 'accept-encoding': encoding } }),
      ),
    )
    assert.equal(plain?.headers.get('content-encoding'), null)
    const text = await plain?.text()
    for (const [nth, response] of encoded.entries()) {
      assert.equal(response.headers.get('content-encoding'), ['br', 'gzip'][nth], name)
      assert.equal(await response.text(), text)
    }
  }
})

test('any path below /docs that is not a page or an image of the documentation returns 404', async () => {
  for (const path of [
    'package.json',
    '..%2fpackage.json',
    'assets/..%2f..%2fpackage.json',
    'assets',
    'start.md.md',
    '__proto__',
    'constructor',
    'images/x',
    'openapi.json',
    'assets/%00',
  ]) {
    const { status } = await fetch(`${url}/docs/${path}`)
    assert.equal(status, 404, path)
  }
})

test('an unknown address returns HTML to browsers and JSON to programs, with the same status code', async () => {
  for (const path of ['/docs/nope', '/docs/samples/nope.jpg', '/v1/results/1?expires=1&signature=no']) {
    const [page, json] = await Promise.all([get(path, 'text/html,application/xhtml+xml,*/*;q=0.8'), get(path, '*/*')])
    const { error } = (await json.json()) as { error: { code: string } }
    const html = await page.text()
    assert.equal(page.status, json.status)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/)
    // A page over 1 kB is compressed, so its header Vary also contains Accept-Encoding.
    assert.match(page.headers.get('vary') ?? '', /^Accept(?:,|$)/)
    assert.match(html, /<h1>/)
    assert.ok(html.includes(`<code>${error.code}</code>`), html)
  }
  const api = await get('/v1/nope', 'text/html')
  assert.match(api.headers.get('content-type') ?? '', /json/)
})

test('comments in the Markdown of the documentation are not published', () => {
  for (const [path, html] of pages) assert.doesNotMatch(html, /&lt;!--/, path)
})

test("the documentation's menu lists the pages of a section in the order of the section's overview, which names each page", () => {
  const documentation = new Documentation()
  const sections = documentation.menu.map(({ pages }) => pages.map(({ slug }) => slug))
  for (const slug of ['operate', 'notes', 'contributing']) {
    const below = sections.flat().filter((one) => one.startsWith(`${slug}/`))
    const overview = documentation.page(slug)?.text ?? ''
    const places = below.map((one) => overview.indexOf(`${one.slice(slug.length + 1)}.md`))
    assert.ok(places.length > 3 && !places.includes(-1), String(below))
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
      slug,
    )
  }
})

test('the security page that a service shows omits the links of docs/security.md to tests', () => {
  const served = new Documentation().page('security')?.text ?? ''
  assert.match(served, /^- A call without a valid key returns 401\.\n- /m)
  assert.doesNotMatch(served, /\.test\.ts/)
})

test('HTML in the Markdown of the documentation is shown as text, and script URLs are harmless [docs.pages.1]', () => {
  const text =
    '# A `<b>`\n\n<script>alert(1)</script> <img src=x onerror=alert(1)>\n\n[a](javascript:alert(1)) ![b](x" onerror="y)\n\n```"><i>\n</code><script>\n```\n'
  const { html } = render({ slug: 'x', file: 'docs/x.md', title: 'x', text }, new Documentation(), { baseUrl: url })
  assert.doesNotMatch(html, /<script|<img src=x|onerror="|javascript:|<i>|<b>/)
  assert.match(html, /&lt;script&gt;/)
})
