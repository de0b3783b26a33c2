import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSync } from 'vite'

/** Matches the attributes and properties of components that contain text for the user. */
const SHOWN =
  /^'?(?:about|alt|aria-label|collapseCodeLabel|confirm|copiedLabel|copyLabel|description|done|expandCodeLabel|label|link|message|none|placeholder|question|submit|suffix|title)'?$/
/** Matches a sentence or a phrase. */
const PHRASE = /^\p{Lu}\p{Ll}+(?:\s.*\p{L}|[.?…]?$)/su
const WITHOUT_TEXT = /\/(?:browser-of|theme)\.ts$/

type Node = { type: string; start: number; end: number; [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

function textsIn(path: string, source: string): string[] {
  const found: string[] = []
  const walk = (node: unknown, isShown: boolean): void => {
    if (Array.isArray(node)) return node.forEach((one) => walk(one, isShown))
    if (!isNode(node) || node.type === 'ImportDeclaration' || /^TS.*(?:Type|Declaration)$/.test(node.type)) return
    const text = textOf(node)
    const isText = node.type === 'JSXText' || isShown ? /\p{L}/u : WITHOUT_TEXT.test(path) ? /$^/ : PHRASE
    if (text !== undefined && isText.test(text))
      found.push(`${path}:${source.slice(0, node.start).split('\n').length} ${text.trim()}`)
    const name = node.type === 'JSXAttribute' ? node['name'] : node.type === 'Property' ? node['key'] : undefined
    const isValue = /^(?:Conditional|Logical)Expression$|^JSXExpressionContainer$/.test(node.type)
    for (const [key, child] of Object.entries(node)) {
      const isNamed = key === 'value' && isNode(name) && SHOWN.test(source.slice(name.start, name.end))
      walk(child, isNamed || (isShown && isValue && key !== 'test'))
    }
  }
  walk(parseSync(path, source, { lang: path.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' }).program, false)
  return found
}

function textOf(node: Node): string | undefined {
  if (node.type !== 'TemplateLiteral') return typeof node['value'] === 'string' ? node['value'] : undefined
  return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('')
}

test('all texts of the console are in the text.ts of their page', () => {
  const files = globSync('console/src/**/*.{ts,tsx}', {
    cwd: join(import.meta.dirname, '..'),
    exclude: ['console/src/**/text.ts', 'console/src/pages/playground/snippets/*-snippet.ts'],
  })
  assert.ok(files.length > 100)
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
  assert.deepEqual(
    files.flatMap((path) => textsIn(path, read(path))),
    [],
  )
})

test('every text of the text modules of the console is used', () => {
  const paths = globSync('console/src/**/*.{ts,tsx}', { cwd: join(import.meta.dirname, '..') })
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
  const isModule = (path: string) => path.endsWith('/text.ts')
  const all = paths.filter((path) => !isModule(path)).map((path) => ({ path, source: read(path) }))
  const unused = paths.filter(isModule).flatMap((path) => {
    const folder = path.slice(0, -'text.ts'.length)
    const name = folder === 'console/src/' ? 'shared' : 'text'
    const users = all.filter((file) => file.path.startsWith(folder))
    const keys = [...read(path).matchAll(/^ {2}(\w+):/gm)].map(([, key]) => key)
    assert.ok(keys.length > 0, path)
    return keys
      .filter((key) => !users.some(({ source }) => new RegExp(`\\b${name}\\.${key}\\b`).test(source)))
      .map((key) => `${path} ${key}`)
  })
  assert.deepEqual(unused, [])
})

test('the check of the console finds texts in JSX, in attributes, in properties, and in phrases', () => {
  assert.deepEqual(textsIn('a.tsx', 'const a = <b>{1} more</b>'), ['a.tsx:1 more'])
  assert.deepEqual(textsIn('a.tsx', "const a = (\n  <b title={c ? 'on' : text.off} />\n)"), ['a.tsx:2 on'])
  assert.deepEqual(textsIn('a.ts', 'const a = { label: `${b} up` }'), ['a.ts:1 up'])
  assert.deepEqual(textsIn('a.ts', "filled('Enter a name.')\nshow('Name')"), ['a.ts:1 Enter a name.', 'a.ts:2 Name'])
  assert.deepEqual(textsIn('a.tsx', "const a = <b size='xs' title={text.of(b ? 'live' : 'test')}>{text.c}, </b>"), [])
})
