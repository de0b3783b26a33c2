import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { OPERATIONS } from '@mediamill/contract/operations/index'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { readCodeBlocks } from '@mediamill/lab/support/code-blocks'
import { readMetrics, withOperateTables } from '@mediamill/lab/support/operate-tables'
import { readRules } from '@mediamill/lab/support/rules'
import { readTitles, titlesOf } from '@mediamill/lab/support/titles'
import GithubSlugger from 'github-slugger'
import { SETTINGS } from '../src/config/config.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync(['packages/*/src/**/*.ts', 'packages/server/migrations/*.sql'], { cwd: root }).map((path) => ({
  path,
  text: read(path),
}))

test('each rule id in a source comment exists in the API reference', () => {
  const known = new Set(readRules(root).map(({ id }) => id))
  const kinds = new Set([...known].map((id) => id.split('.', 1)[0]))
  const cited = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w./-])([a-z]+)\.[a-z_]+\.\d+\b/g)]
      .filter(([, kind]) => kinds.has(kind))
      .map(([id]) => ({ path, id })),
  )
  assert.ok(cited.length > 150, String(cited.length))
  assert.deepEqual(
    cited.filter(({ id }) => !known.has(id)),
    [],
  )
})

test('every page of docs or lab/notes that a source file mentions exists', () => {
  const files = globSync(
    [
      '{packages/*/{src,test},lab,scripts,console/src}/**/*.{ts,tsx,sh,md}',
      'packages/server/migrations/*.sql',
      'deploy/**/*',
      '.github/**/*.yml',
      '{Dockerfile,compose.yaml,bin/*.js,*.md}',
    ],
    { cwd: root, exclude: ['**/node_modules/**'] },
  ).filter((path) => statSync(join(root, path)).isFile())
  assert.ok(files.length > 600, String(files.length))
  const missing = files.flatMap((path) =>
    [...read(path).matchAll(/(?<![\w./-])(?:docs|lab\/notes)\/[\w/-]+\.md\b/g)]
      .filter(([cited]) => !/\/(?:SLUG|x)\.md$/.test(cited) && !existsSync(join(root, cited)))
      .map(([cited]) => `${path} names ${cited}`),
  )
  assert.deepEqual(missing, [])
})

test('each rule id in a test title exists in the API reference', () => {
  const known = new Set(readRules(root).map(({ id }) => id))
  const wrong = readTitles(root).flatMap(({ file, text, rules }) =>
    rules.filter((id) => !known.has(id)).map((id) => `${file}: ${text} [${id}]`),
  )
  assert.deepEqual(wrong, [])
})

test('the rule ids of a test title are read from its brackets, even if a random seed follows the brackets', () => {
  const text =
    "test('a is b [requests.abort.3, results.links.5]', () => {})\ntest(`c\\'s [RFC 9110]`)\ntest('d [api.json.1] (seed ${SEED})')"
  assert.deepEqual(
    titlesOf('a.test.ts', text).map(({ text: words, rules }) => [words, rules]),
    [
      ['a is b', ['requests.abort.3', 'results.links.5']],
      ["c's", []],
      ['d', ['api.json.1']],
    ],
  )
})

test('README names every operation, and each operation in its examples is valid', () => {
  const readme = read('README.md')
  const missing = OPERATIONS.filter(({ name }) => !readme.includes(`\`${name}\``)).map(({ name }) => name)
  assert.deepEqual(missing, [])
  const lists = [...readme.matchAll(/^```json\n(\[[^`]+)```|'operations=(\[.*?\])'/gm)].map(
    (shown) => shown[1] ?? shown[2] ?? '',
  )
  assert.equal(lists.length, 3)
  for (const list of lists) {
    const operations = operationsSchema('image').parse(JSON.parse(list))
    assert.equal(operations[0]?.type, 'orient', 'a photograph of a phone is turned upright first')
  }
})

test('every link between the documentation pages leads to an existing file', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
  assert.ok(pages.length > 5)
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)|<img src="([^"]+)"/g)]
      .map(([, link, image]) => link ?? image ?? '')
      .filter((path) => !existsSync(join(root, page, '..', path)))
      .map((path) => `${page} links to ${path}`),
  )
  assert.deepEqual(dead, [])
})

test('every link to a section of a page leads to an existing heading', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md'], { cwd: root })
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#([^)\s]+)\)/g)]
      .filter(([, path = '', section = '']) => {
        const file = path === '' ? page : join(page, '..', path)
        return !sectionsOf(read(file)).has(section)
      })
      .map(([link]) => `${page} has ${link}`),
  )
  assert.deepEqual(dead, [])
})

test('every table in the documentation starts with a header, so that no row is shown as text', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/*.md'], { cwd: root })
  const tables = pages.flatMap((page) =>
    [
      ...read(page)
        .replaceAll(/^ *```[^]*?^ *```/gm, '')
        .matchAll(/(?<!^ *\|.*\n)^ *\|.*\n.*/gm),
    ].map(([start]) => ({ page, start })),
  )
  assert.ok(tables.length > 100, String(tables.length))
  assert.deepEqual(
    tables.filter(({ start }) => !/\n *\|[ :|-]+\|$/.test(start)),
    [],
  )
})

function sectionsOf(page: string): Set<string> {
  const slugger = new GithubSlugger()
  const text = page.replaceAll(/^ *```[^]*?^ *```/gm, '')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    slugger.slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  )
  return new Set([...headings, ...[...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)])
}

const WITHOUT_PROMISES = ['Your responsibilities', 'Not covered']

function hasTest(path: string, beginning: string): boolean {
  const titles = [...read(path).matchAll(/(?:\b(?:test|guarantee)\(|\btitle:)\s*(['"`])(.*?)(?<!\\)\1/g)].map(
    ([, , title = '']) => title,
  )
  return titles.some((title) => title.replaceAll(/\\(.)/g, '$1').startsWith(beginning))
}

test('each guarantee of docs/security.md links to an existing test', () => {
  const sections = read('docs/security.md').split(/^## /m).slice(1)
  const names = sections.map((section) => section.split('\n', 1)[0] ?? '')
  assert.deepEqual(
    WITHOUT_PROMISES.filter((name) => !names.includes(name)),
    [],
  )
  const promises = sections
    .filter((_, index) => !WITHOUT_PROMISES.includes(names[index] ?? ''))
    .flatMap((section) =>
      section
        .matchAll(/^(?:[-*] .*(?:\n +\S.*)*|\|(?! ?-).*)/gm)
        .map(([text]) => text)
        .toArray(),
    )
  assert.ok(promises.length > 50, String(promises.length))
  const wrong = promises.flatMap((promise) => {
    const cited = [...promise.matchAll(/\[test\]\(\.\.\/([^\s)]+\.ts)(?: "([^"]+)")?\)/g)]
    if (cited.length === 0) return [`links to no test: ${promise}`]
    return cited.flatMap(([, path = '', beginning]) => {
      if (!existsSync(join(root, path))) return [`there is no file ${path}`]
      if (beginning === undefined || hasTest(path, beginning)) return []
      return [`no test of ${path} begins with: ${beginning}`]
    })
  })
  assert.deepEqual(wrong, [])
})

test('the tables of settings and metrics in docs/operate are up to date and complete', () => {
  for (const name of ['configuration', 'monitoring']) {
    const page = read(`docs/operate/${name}.md`)
    assert.ok(page === withOperateTables(page, root), `docs/operate/${name}.md is stale: run scripts/write-operate.ts`)
  }
  const rows = [...read('docs/operate/configuration.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name)
  assert.equal(rows.length, Object.keys(SETTINGS).length)
  assert.deepEqual(new Set(rows), new Set(Object.values(SETTINGS).map(({ variable }) => variable)))
})

test('every metric in the sources is listed, and the dashboard and the operator pages name no other metric', () => {
  const code = globSync('packages/server/src/**/*.ts', { cwd: root }).map(read).join('\n')
  const declared = new Set(readMetrics(root).map(({ name }) => name))
  const count = [...code.matchAll(/\b(?:counter|gauge|histogram)\(\s*['"`]/g)].length
  assert.equal(declared.size, count)
  const pages = ['deploy/grafana-dashboard.json', ...globSync('docs/operate/*.md', { cwd: root })]
  const unknown = pages.flatMap((page) =>
    [...read(page).matchAll(/mediamill_\w+/g)]
      .map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))
      .filter((name) => !declared.has(name))
      .map((name) => `${page} names ${name}`),
  )
  assert.deepEqual(unknown, [])
})

test('container files, Helm templates, and systemd units set only existing settings', () => {
  const files = [
    'Dockerfile',
    'compose.yaml',
    'deploy/compose.scaled.yaml',
    ...globSync('deploy/helm/mediamill/{values.yaml,templates/*.yaml}', { cwd: root }),
    ...globSync('deploy/systemd/*', { cwd: root }),
  ]
  const known = new Set(Object.values(SETTINGS).map(({ variable }) => variable))
  const foreign = /^(AWS_|POSTGRES_|GARAGE_|S3_|NODE_ENV$|PATH$|COMMIT$)/
  const set = files.flatMap((file) =>
    [
      ...read(file).matchAll(
        /^ +([A-Z][A-Z0-9_]+): |name: ([A-Z][A-Z_]+),|(?:^ENV |^Environment=|^| )([A-Z][A-Z_]+)=/gm,
      ),
    ]
      .map(([, yaml, item, env]) => ({ file, name: yaml ?? item ?? env ?? '' }))
      .filter(({ name }) => !foreign.test(name)),
  )
  assert.ok(set.length > 10)
  assert.deepEqual(
    set.filter(({ name }) => !known.has(name)),
    [],
  )
})

const GUIDES = [
  'CONTRIBUTING.md',
  ...globSync('docs/contributing/*.md', { cwd: root }).map((path) => path.replaceAll('\\', '/')),
]

test('each code example for contributors is a copy from the file that the page names directly before the example', () => {
  const trimmed = (text: string) => text.split('\n').map((line) => line.trim())
  const lines = (text: string) => ['', ...trimmed(text).filter((line) => line !== ''), ''].join('\n')
  const examples = readCodeBlocks().filter(
    ({ page, language }) => GUIDES.includes(page) && /^(?:ts|sql)$/.test(language),
  )
  assert.ok(examples.length >= 10, String(examples.length))
  const wrong = examples.flatMap(({ page, line, before, code }) => {
    const file = [...before.matchAll(/`([\w./-]+\.(?:ts|sql))`/g)].at(-1)?.[1] ?? ''
    const isThere = existsSync(join(root, file)) && lines(read(file)).includes(lines(code))
    return isThere ? [] : [`${page}:${line} is not in ${file || 'any file'}`]
  })
  assert.deepEqual(wrong, [])
})

test('each path and script on the pages for contributors exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const wrong = GUIDES.flatMap((page) => {
    const text = read(page)
    const paths = [
      ...text.matchAll(/(?<![\w/.-])(?:\.ci|\.github|packages|lab|docs|scripts|console)\/[\w./-]*\w/g),
    ].map(String)
    const runs = [...text.matchAll(/npm run ([a-z:-]*[a-z])/g)].map(([, name = '']) => name)
    return [
      ...paths.filter((path) => !/[A-Z]{3}/.test(path) && !existsSync(join(root, path))),
      ...runs.filter((name) => !Object.hasOwn(scripts, name)),
    ].map((name) => `${page} names ${name}`)
  })
  assert.deepEqual(wrong, [])
})

test('each file in the table of the request path in docs/architecture.md exists', () => {
  const table = /^### The same path in files\n[^]*?(?=^## )/m.exec(read('docs/architecture.md'))?.[0] ?? ''
  const files = [...table.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => file)
  assert.ok(files.length > 20, String(files.length))
  const inRoot = (file: string) => (file.startsWith('packages/') ? file : `packages/server/src/${file}`)
  assert.deepEqual(
    files.filter((file) => !existsSync(join(root, inRoot(file)))),
    [],
  )
})

test('the table in CONTRIBUTING lists every npm script, except npm lifecycle hooks and the steps of the check script', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const hooks = ['postinstall', 'prepare', 'prepack', 'postpack']
  const parts = [...(scripts['check'] ?? '').matchAll(/--silent (\S+)/g)].map(([, name = '']) => name)
  const listed = [...read('CONTRIBUTING.md').matchAll(/^\| `([a-z:-]+)` \| [A-Z]/gm)].map(([, name = '']) => name)
  const expected = Object.keys(scripts).filter((name) => !hooks.includes(name) && !parts.includes(name))
  const folders = ['console', 'lab', 'scripts']
  assert.deepEqual(listed.filter((name) => !folders.includes(name)).toSorted(), expected.toSorted())
})
