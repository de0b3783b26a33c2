import { parseSync } from 'vite'
import type { Kind } from './rules.ts'

export type Text = { kind: Kind; line: number; text: string }

type Node = { type?: string; start: number; end: number; [key: string]: unknown }

const TITLED = new Set(['test', 'it', 'describe', 'suite'])

const PROSE = /\p{L}{2,}[ ,’']+\S*\p{L}/u
const CODE =
  /^\s*(?:select|insert into|update \S+ set|delete from|with \S+ as|alter|create (?:or replace|table|unique|index|role)|begin|set local|listen|notify|lock|drop|grant|explain|copy \S+ (?:from|to))\b|^\s*[<{]/

export function textsOf(file: string, source: string): Text[] {
  const texts = /\.[jt]sx?$/.test(file)
    ? inTypeScript(file, source)
    : file.endsWith('.md')
      ? inMarkdown(source)
      : file.endsWith('.json')
        ? inOpenApi(source)
        : file.endsWith('.css')
          ? inCss(source)
          : inHashComments(source)
  const escaped = escapedLines(source)
  return texts.map((one) => ({ ...one, text: withoutEscaped(one, escaped) }))
}

/** Returns a file's comments and test titles; outside tests, also its sentences; in text modules, all its strings. */
function inTypeScript(file: string, source: string): Text[] {
  const lineAt = lineFinder(source)
  const lang = file.endsWith('x') ? 'tsx' : 'ts'
  const { program, comments } = parseSync(file, source, { lang, astType: 'ts' })
  const texts: Text[] = []
  let open: { end: number; text: Text } | undefined
  for (const { type, value, start, end } of comments) {
    const isOwnLine = source.slice(source.lastIndexOf('\n', start) + 1, start).trim() === ''
    if (open && type === 'Line' && isOwnLine && /^\n[ \t]*$/.test(source.slice(open.end, start))) {
      open.text.text += `\n${value.trim()}`
      open.end = end
      continue
    }
    const text: Text = { kind: 'comment', line: lineAt(start), text: value.replaceAll(/^[ \t]*\**[ \t]*/gm, '') }
    texts.push(text)
    open = type === 'Line' && isOwnLine ? { end, text } : undefined
  }
  const isTest = /\.test\.ts$|(?:^|\/)test\/|^lab\/|fixture/.test(file)
  const isConsoleText = /^console\/src\/(?:.+\/)?text\.ts$/.test(file)
  const add = (kind: Kind, node: Node, text: string) => texts.push({ kind, line: lineAt(node.start), text })
  const walk = (value: unknown, isTitle = false): void => {
    if (Array.isArray(value)) return value.forEach((one) => walk(one))
    if (!isNode(value)) return
    const { type } = value
    if (type?.startsWith('TS') && type.endsWith('Type')) return
    if (type === 'ImportDeclaration' || type === 'TaggedTemplateExpression') return
    const text = textOf(value)
    if (text !== undefined) {
      if (isTitle) add('title', value, text)
      else if (!isTest && PROSE.test(text) && !CODE.test(text)) add('string', value, text)
      else if (isConsoleText) add('label', value, text)
    }
    if (type === 'CallExpression' && TITLED.has(calleeOf(value['callee']))) {
      const [title, ...rest] = value['arguments'] as Node[]
      walk(title, true)
      return rest.forEach((one) => walk(one))
    }
    for (const one of Object.values(value)) walk(one)
  }
  walk(program)
  return texts
}

/** Returns the text of a string or a template, otherwise `undefined`. In a template, `_` replaces each value. */
function textOf(node: Node): string | undefined {
  if ((node.type === 'Literal' || node.type === 'JSXText') && typeof node['value'] === 'string') return node['value']
  if (node.type !== 'TemplateLiteral') return undefined
  return (node['quasis'] as { value: { raw: string } }[]).map(({ value }) => value.raw).join('_')
}

function calleeOf(callee: unknown): string {
  if (!isNode(callee)) return ''
  const name = callee.type === 'MemberExpression' ? calleeOf(callee['object']) : callee['name']
  return typeof name === 'string' ? name : ''
}

function inMarkdown(source: string): Text[] {
  const texts: Text[] = []
  const plain = source.replaceAll(
    /<!-- generated: [\s\S]*?<!-- \/generated -->|^ *(```|~~~)[\s\S]*?^ *\1|<!--[\s\S]*?-->|<[^>\n]+>/gm,
    blank,
  )
  let line = 1
  for (const block of plain.split(/((?<=(?:^|\n)#.*)\n|\n(?:[ \t]*\n)*(?=[ \t]*(?:\n|$|[-*|#>]|\d+\.)))/)) {
    if (block.trimStart().startsWith('|'))
      for (const cell of block
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/))
        texts.push({ kind: 'cell', line, text: cell.trim() })
    else if (block.trim() !== '')
      texts.push({ kind: 'prose', line, text: block.replace(/^[ \t]*(?:[-*>#]+|\d+\.) */, '') })
    line += block.split('\n').length - 1
  }
  return texts
}

function inOpenApi(source: string): Text[] {
  return source.split('\n').flatMap((text, index): Text[] => {
    const [, quoted] = /^\s*"(?:summary|description)": (".*"),?$/.exec(text) ?? []
    if (quoted === undefined) return []
    return (JSON.parse(quoted) as string).split('\n').map((one) => ({ kind: 'string', line: index + 1, text: one }))
  })
}

function inCss(source: string): Text[] {
  return [...source.matchAll(/\/\*([\s\S]*?)\*\//g)].map(({ 1: text = '', index }) => ({
    kind: 'comment',
    line: source.slice(0, index).split('\n').length,
    text: text.trim(),
  }))
}

function inHashComments(source: string): Text[] {
  const texts: Text[] = []
  let last = -1
  source.split('\n').forEach((text, index) => {
    const [, comment] = /^\s*#(?!!)\s*(.*)$/.exec(text) ?? []
    if (comment === undefined) return
    const before = texts.at(-1)
    if (before && last === index - 1) before.text += `\n${comment}`
    else texts.push({ kind: 'comment', line: index + 1, text: comment })
    last = index
  })
  return texts
}

/** Returns the numbers of exempt lines. A comment `words-ok: reason` exempts its line and the next line. */
function escapedLines(source: string): Set<number> {
  const lines = source
    .split('\n')
    .flatMap((text, index) => (/words-ok: \S+ \S+/.test(text) ? [index + 1, index + 2] : []))
  return new Set(lines)
}

function withoutEscaped({ line, text }: Text, escaped: Set<number>): string {
  const kept = text.split('\n').map((one, index) => (escaped.has(line + index) ? '' : one))
  return kept
    .join('\n')
    .replaceAll(/``[^`]+``|`[^`]*`/g, (code) => `_${blank(code)}`)
    .replaceAll(/\]\([^)\s]*\)|\{@link [^}]*\}|\S*[/_@]\S*|\S+\.(?:ts|md|json|tsx)\b/g, blank)
}

const blank = (text: string) => text.replaceAll(/[^\n]+/g, '_')

function lineFinder(source: string): (offset: number) => number {
  const starts = [...source.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'start' in value
}
