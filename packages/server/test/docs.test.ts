import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { MEDIA_TYPES } from '@mediamill/contract/domain/media'
import { OPERATIONS } from '@mediamill/contract/operations/index'
import { operationsSchema } from '@mediamill/contract/operations/schema'
import { writeDecisionIndex } from '@mediamill/lab/support/decisions'
import { readTitles } from '@mediamill/lab/support/titles'
import { SETTINGS } from '../src/config/config.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync(['packages/*/src/**/*.ts', 'packages/server/migrations/*.sql'], { cwd: root }).map((path) => ({
  path,
  text: read(path),
}))

const sections = (page: string) => {
  const text = read(`docs/${page}`)
  return new Set([...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map((match) => match[1]))
}
const pages = { Spec: sections('interface.md'), rulings: sections('rulings.md') }

test('every section that code cites, `Spec 4.5` or `rulings 9`, is a heading of its page', () => {
  assert.deepEqual([pages.Spec.size, pages.rulings.size], [37, 23])
  const missing = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(Spec|[Rr]ulings)(?:, section)? (\d+(?:\.\d+)?)/g)]
      .filter(([, page, section]) => !pages[page === 'Spec' ? 'Spec' : 'rulings'].has(section))
      .map(([cited]) => `${path} cites ${cited}`),
  )
  assert.deepEqual(missing, [])
})

test('`decision 9` is a page of docs/decisions everywhere; a section of docs/rulings.md is cited as `rulings 9`', () => {
  const decisions = new Set(
    globSync('docs/decisions/[0-9]*.md', { cwd: root }).map((path) => Number(basename(path).slice(0, 4))),
  )
  assert.ok(decisions.size >= 14)
  const places = [
    '{packages/*/{src,test},lab,scripts}/**/*.{ts,md}',
    'docs/**/*.{md,json}',
    'packages/server/migrations/*.sql',
    'deploy/**/*.yaml',
    '*.md',
  ]
  const files = globSync(places, { cwd: root, exclude: ['packages/server/test/docs.test.ts', '**/node_modules/**'] })
  assert.ok(files.length > 600, String(files.length))
  const wrong = files.flatMap((path) =>
    [...read(path).matchAll(/\b[Dd]ecision(s?),?(?: section)? (\d+)/g)]
      .filter(([, plural, number]) => plural === 's' || !decisions.has(Number(number)))
      .map(([cited]) => `${path} cites ${cited}`),
  )
  assert.deepEqual(wrong, [])
})

test('the index of decisions is what scripts/write-decisions.ts writes of the pages', () => {
  const isFresh = read('docs/decisions/README.md') === writeDecisionIndex(root)
  assert.ok(isFresh, 'docs/decisions/README.md is stale: run node_modules/.bin/node scripts/write-decisions.ts')
})

test('what the title of a test cites in brackets, `[4.5, rulings 9]`, is a heading of its page, or a standard', () => {
  const cited = readTitles(root).filter((title) => title.cited !== '')
  assert.ok(cited.length > 300, String(cited.length))
  const missing = cited.filter(({ cited: list, spec, rulings }) => {
    const isStandard = /^(RFC \d+|ITU-R BT\.\d+)\b/.test(list)
    const isRead = [...spec, ...(rulings.length > 0 ? [`rulings ${rulings.join(', ')}`] : [])].join(', ') === list
    const isKnown = spec.every((one) => pages.Spec.has(one)) && rulings.every((one) => pages.rulings.has(one))
    return !isStandard && !(isRead && isKnown)
  })
  assert.deepEqual(missing, [])
})

test('README lists every operation with the media that it works on, and its examples are operations', () => {
  const readme = read('README.md')
  const rows = [...readme.matchAll(/^\| `(\w+)` \|([^|]*)\|([^|]*)\|([^|]*)\|/gm)].map(([, name, ...media]) => ({
    name,
    media: media.map((mark) => mark.trim() === '✓'),
  }))
  const declared = OPERATIONS.map((operation) => ({
    name: operation.name,
    media: MEDIA_TYPES.map((media) => operation[media] !== undefined),
  }))
  assert.deepEqual(rows, declared)
  const lists = [/^```json\n(\[[^`]+)```/m, /"operations": (\[.*\])\}'/].map((shown) => shown.exec(readme)?.[1] ?? '')
  for (const list of lists) {
    const operations = operationsSchema('image').parse(JSON.parse(list))
    assert.equal(operations[0]?.type, 'orient', 'a photograph of a phone is turned upright first')
  }
})

test("a client's pages point to rulings by footnotes alone, each of which is there and used", () => {
  for (const page of ['README.md', 'docs/interface.md', 'docs/images.md', 'docs/webhooks.md']) {
    const text = read(page)
    assert.doesNotMatch(text, /\bdecisions? \d/, page)
    const notes = new Set([...text.matchAll(/\[\^(\d+)\](?!:)/g)].map(([, number]) => number))
    const defined = [...text.matchAll(/^\[\^(\d+)\]: \[Rulings (\d+)\]\(rulings\.md#(\d+)-/gm)]
    assert.deepEqual(new Set(defined.map(([, number]) => number)), notes, page)
    for (const [, ...numbers] of defined) assert.equal(new Set(numbers).size, 1, `${page}: ${numbers.join(', ')}`)
  }
})

test('every link between the pages leads to a file that is there', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root })
  assert.ok(pages.length > 5)
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)]*)?\)|<img src="([^"]+)"/g)]
      .map(([, link, picture]) => link ?? picture ?? '')
      // The page of codes is written by the service.
      .filter((path) => path !== 'errors.md' && !existsSync(join(root, page, '..', path)))
      .map((path) => `${page} links to ${path}`),
  )
  assert.deepEqual(dead, [])
})

/** The sections of docs/security.md that promise nothing. */
const WITHOUT_PROMISES = ['What you must do', 'Not covered', 'Run more tests']

/** Returns whether a file has a test with a title that begins so. */
function hasTest(path: string, beginning: string): boolean {
  const titles = [...read(path).matchAll(/\b(?:test|guarantee)\(\s*(['"`])(.*?)(?<!\\)\1/g)].map(
    ([, , title = '']) => title,
  )
  return titles.some((title) => title.replaceAll(/\\(.)/g, '$1').startsWith(beginning))
}

test('each promise of docs/security.md cites a test that exists', () => {
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
    const cited = [...promise.replaceAll(/\s+/g, ' ').matchAll(/`([^`]+\.test\.ts)`((?:,? "[^"]+")*)/g)]
    if (cited.length === 0) return [`cites no test: ${promise}`]
    return cited.flatMap(([, path = '', titles = '']) => {
      if (!existsSync(join(root, path))) return [`there is no file ${path}`]
      const beginnings = [...titles.matchAll(/"([^"]+)"/g)].map(([, beginning = '']) => beginning)
      return beginnings
        .filter((beginning) => !hasTest(path, beginning))
        .map((beginning) => `no test of ${path} begins with: ${beginning}`)
    })
  })
  assert.deepEqual(wrong, [])
})

test('every setting has its row in docs/operate.md, with its default, and no row is of a setting that is gone', () => {
  const table = read('docs/operate.md').split('\n## Settings\n')[1]?.split('\n## ')[0] ?? ''
  const rows = new Map(
    [...table.matchAll(/^\| (`[^|]+) \| ([^|]+) \| /gm)].flatMap(([, names = '', defaults = '']) => {
      const values = defaults.split(', ')
      return names.split(', ').map((name, index) => [name.replaceAll('`', ''), values[index] ?? ''] as const)
    }),
  )
  const declared = Object.values(SETTINGS)
  assert.deepEqual([...rows.keys()].toSorted(), declared.map(({ variable }) => variable).toSorted())
  const plain = declared.filter(({ fallback }) => /^[^ :]+$/.test(fallback))
  assert.deepEqual(
    plain.filter(({ variable, fallback }) => rows.get(variable) !== `\`${fallback}\``).map(({ variable }) => variable),
    [],
  )
})

test('every metric of the service is explained in docs/operate.md, and the dashboard shows only what there is', () => {
  const code = globSync('packages/*/src/**/*.ts', { cwd: root }).map(read).join('\n')
  const declared = new Set([
    ...[...code.matchAll(/name: 'mediamill_(\w+)'/g)].map(([, name]) => `mediamill_${name}`),
    ...[...code.matchAll(/= gauge\('(\w+)'/g)].map(([, name]) => `mediamill_${name}`),
  ])
  assert.ok(declared.size > 15)
  const named = (text: string) =>
    [...text.matchAll(/mediamill_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))
  const table = read('docs/operate.md').split('\n## Metrics\n')[1]?.split('\n## ')[0] ?? ''
  assert.deepEqual([...new Set(named(table))].toSorted(), [...declared].toSorted())
  assert.deepEqual(
    named(read('deploy/grafana-dashboard.json')).filter((name) => !declared.has(name)),
    [],
  )
})

test('container files set only settings that there are', () => {
  const files = [
    'Dockerfile',
    'compose.yaml',
    'deploy/compose.scaled.yaml',
    ...globSync('deploy/kubernetes/*.yaml', { cwd: root }),
  ]
  const known = new Set(Object.values(SETTINGS).map(({ variable }) => variable))
  const foreign = /^(AWS_|POSTGRES_|GARAGE_|S3_|NODE_ENV$|PATH$)/
  const set = files.flatMap((file) =>
    [...read(file).matchAll(/^ +([A-Z][A-Z0-9_]+): |name: ([A-Z][A-Z_]+),|(?:^ENV| )([A-Z][A-Z_]+)=/gm)]
      .map(([, yaml, item, env]) => ({ file, name: yaml ?? item ?? env ?? '' }))
      .filter(({ name }) => !foreign.test(name)),
  )
  assert.ok(set.length > 10)
  assert.deepEqual(
    set.filter(({ name }) => !known.has(name)),
    [],
  )
})
