import { escapeControls } from '@mediamill/contract/lib/format-text'
import { prettyFactory } from 'pino-pretty'

/** Fields to omit, because all lines on a terminal are from the same service. */
const LEFT_OUT: ReadonlySet<string> = new Set(['pid', 'role', 'address'])
const SHOWN: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'err'])

export function terminalLines({ colorize }: { colorize: boolean }): (line: string) => string {
  const pretty = prettyFactory({ singleLine: true, colorize })
  return (line) => pretty(inWords(JSON.parse(line, escaped) as Line))
}

type Line = Record<string, unknown> & { msg?: string }

function inWords(line: Line): Line {
  const msg = oneLine(line.msg ?? '')
  const details = Object.entries(line)
    .filter(([name]) => !SHOWN.has(name) && !LEFT_OUT.has(name))
    .map(([name, value]) => [name, wordsOf(value)] as const)
    .filter(([, words]) => words !== '' && !includesWords(msg, words))
    .map(([name, words]) => `${name.replaceAll('_', ' ')}: ${words}`)
  const kept = Object.fromEntries(Object.entries(line).filter(([name]) => SHOWN.has(name)))
  return details.length === 0 ? { ...kept, msg } : { ...kept, msg: `${msg} (${details.join(', ')})`.trimStart() }
}

const WORD = /[\w-]/

function includesWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (!WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + words.length))) return true
  }
  return false
}

/** Escapes control characters, so that untrusted text cannot move the cursor. Keeps line breaks in a stack trace. */
const escaped = (_name: string, value: unknown) => (typeof value === 'string' ? escapeControls(value) : value)

const oneLine = (text: string) => text.replaceAll('\n', String.raw`\n`)

function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(wordsOf).join('; ')
  if (typeof value === 'string') return oneLine(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  return Object.entries(value)
    .filter(([, held]) => held !== false)
    .map(([name, held]) => (held === true ? name : `${name} ${wordsOf(held)}`))
    .join(', ')
}
