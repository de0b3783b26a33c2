import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'recheck'
import { parseAst } from 'vite'

// Checks that every regular expression of the product runs in linear time, so that no input can block a process.
// recheck proves this with an automaton. It cannot do this for look-around and large counts, so it then searches for a
// slow input. Checks only new expressions.

const root = join(import.meta.dirname, '..')
const CACHE = join(root, 'node_modules/.cache/check-regex.json')
const RECHECK_VERSION = '4.5.0'

/** The maximum time for one expression. It is long, so that slow and fast machines get the same result. */
const TIMEOUT_MS = 120_000

/** The expressions that are not checked. `bound` is the reason: a limit on the input, or on its effects. */
const ALLOWED: readonly { file: string; source: string; bound: string }[] = [
  {
    file: 'packages/cli/src/verbs/conformance.ts',
    source: 'options.only',
    bound: 'The caller writes the expression, and it runs in their own process on the titles of the checks.',
  },
]

type Expression = { file: string; line: number; source: string; flags: string; isKnown: boolean }

type Node = { type?: string; start: number; end: number; [key: string]: unknown }

const files = globSync(['packages/*/{src,bin}/**/*.{ts,js}', 'console/{src,.}/**/*.{ts,tsx}'], { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.test\.ts$|\.d\.ts$|(?:^|\/)(?:node_modules|dist)\//.test(file))

const expressions = [...new Set(files)].flatMap(expressionsIn)
if (expressions.length < 300) throw new Error(`only ${expressions.length} regular expressions were found`)

const verdicts = readVerdicts()
const faults: string[] = []
const used = new Set<object>()
for (const expression of expressions) {
  const { file, line, source, flags } = expression
  const allowed = ALLOWED.find((one) => one.file === file && one.source === source)
  if (allowed !== undefined) used.add(allowed)
  else if (!expression.isKnown) faults.push(`${file}:${line}: ${source} is not a literal, so its time is unknown`)
  else {
    const key = `/${source}/${flags}`
    const verdict = (verdicts[key] ??= await verdictOf(source, flags))
    if (verdict !== 'safe') faults.push(`${file}:${line}: ${key} is ${verdict}`)
  }
}
for (const one of ALLOWED)
  if (!used.has(one)) faults.push(`${one.file} has no ${one.source} any more: remove it from ALLOWED`)
writeVerdicts()
for (const fault of faults) process.stderr.write(`${fault}\n`)
if (faults.length > 0) {
  process.stderr.write(
    'Use a linear form (indexOf, a lookbehind, disjoint classes), or add the bound of the input to ALLOWED.\n',
  )
}
// Exit explicitly, because a child process of recheck would keep this process alive.
process.exit(faults.length > 0 ? 1 : 0)

async function verdictOf(source: string, flags: string): Promise<string> {
  const found = await check(source, flags, { timeout: TIMEOUT_MS })
  switch (found.status) {
    case 'safe':
      return 'safe'
    case 'vulnerable':
      return `vulnerable: ${found.complexity.summary}`
    case 'unknown':
      return `unknown: ${found.error.kind}`
  }
}

function expressionsIn(file: string): Expression[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found: Expression[] = []
  const add = (node: Node, source: string | undefined, flags: string) => {
    const line = text.slice(0, node.start).split('\n').length
    const written = text.slice(node.start, node.end)
    found.push({ file, line, source: source ?? argumentOf(written), flags, isKnown: source !== undefined })
  }
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(walk)
    else if (isNode(value)) {
      const { type, regex, callee } = value
      if (type === 'Literal' && isPattern(regex)) add(value, regex.pattern, regex.flags)
      if ((type === 'NewExpression' || type === 'CallExpression') && isNode(callee) && callee['name'] === 'RegExp') {
        const [pattern, flags] = value['arguments'] as Node[]
        add(value, patternOf(pattern), typeof flags?.['value'] === 'string' ? flags['value'] : '')
      }
      Object.values(value).forEach(walk)
    }
  }
  walk(parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts', astType: 'ts' }))
  return found
}

/** Returns the text of a string or a template, or `undefined` for other code. `word` replaces each `${…}`. */
function patternOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node?.type !== 'TemplateLiteral') return undefined
  return (node['quasis'] as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('word')
}

function argumentOf(written: string): string {
  return written.slice(written.indexOf('(') + 1, -1)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !(value instanceof RegExp)
}

function isPattern(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value
}

function readVerdicts(): Record<string, string> {
  try {
    const { version, verdicts } = JSON.parse(readFileSync(CACHE, 'utf8')) as {
      version: string
      verdicts: Record<string, string>
    }
    return version === RECHECK_VERSION ? verdicts : {}
  } catch {
    return {}
  }
}

function writeVerdicts(): void {
  const safe = Object.fromEntries(Object.entries(verdicts).filter(([, verdict]) => verdict === 'safe'))
  mkdirSync(join(CACHE, '..'), { recursive: true })
  writeFileSync(CACHE, JSON.stringify({ version: RECHECK_VERSION, verdicts: safe }))
}
