import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SETTINGS } from '../src/config.ts'
import { MEDIA_TYPES } from '../src/domain/media.ts'
import { OPERATIONS } from '../src/operations/index.ts'
import { operationsSchema } from '../src/operations/schema.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync(['src/**/*.ts', 'migrations/*.sql'], { cwd: root }).map((path) => ({ path, text: read(path) }))

const sections = (page: string) => {
  const text = read(`docs/${page}`)
  return new Set([...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map((match) => match[1]))
}
const pages = { Spec: sections('interface.md'), decisions: sections('rulings.md') }

test('every section that code cites, `Spec 4.5` or `decisions 9`, is a heading of its page', () => {
  assert.deepEqual([pages.Spec.size, pages.decisions.size], [29, 15])
  const missing = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(Spec|decisions)(?:, section)? (\d+(?:\.\d+)?)/g)]
      .filter(([, page, section]) => page !== undefined && !pages[page === 'Spec' ? 'Spec' : 'decisions'].has(section))
      .map(([cited]) => `${path} cites ${cited}`),
  )
  assert.deepEqual(missing, [])
})

test('what the title of a test cites in brackets, `[4.5, decisions 9]`, is a heading of its page, or a standard', () => {
  const tests = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
  const cited = tests.flatMap((path) =>
    [...read(path).matchAll(/\btest\(\s*(['"`]).*? \[([^\]\n]+)\](?: \(seed .*)?\1/g)].map(([, , list = '']) => ({
      path,
      list,
    })),
  )
  assert.ok(cited.length > 300, String(cited.length))
  const missing = cited.filter(({ list }) => {
    const [spec = '', decisions] = list.split(/(?:^|, )decisions /)
    const unknown = (numbers: string, page: Set<string | undefined>) =>
      numbers.split(', ').some((number) => number !== '' && !page.has(number))
    const isStandard = /^(RFC \d+|ITU-R BT\.\d+)\b/.test(list)
    return !isStandard && (unknown(spec, pages.Spec) || unknown(decisions ?? '', pages.decisions))
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
      .filter((path) => !existsSync(join(root, page, '..', path)))
      .map((path) => `${page} links to ${path}`),
  )
  assert.deepEqual(dead, [])
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
  const code = globSync('src/**/*.ts', { cwd: root }).map(read).join('\n')
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
  const foreign = /^(AWS_|POSTGRES_|MINIO_|NODE_ENV$|S3_SECRET$)/
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
