import { prettyFactory } from 'pino-pretty'

/** What stands on a terminal already, or says nothing there: of one service, which process; of an API, where it listens. */
const LEFT_OUT: ReadonlySet<string> = new Set(['pid', 'role', 'address'])
/** What pino-pretty shows in its own way. */
const SHOWN: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'err'])

/** Makes lines of JSON readable. Each is one line with its fields in words, and an error's stack below. */
export function terminalLines({ colorize }: { colorize: boolean }): (line: string) => string {
  const pretty = prettyFactory({ singleLine: true, colorize })
  return (line) => pretty(inWords(JSON.parse(line) as Line))
}

type Line = Record<string, unknown> & { msg?: string }

/** The line with its fields as words behind its message; what the message says already is not said again. */
function inWords(line: Line): Line {
  const { msg = '' } = line
  const details = Object.entries(line)
    .filter(([name]) => !SHOWN.has(name) && !LEFT_OUT.has(name))
    .map(([name, value]) => [name, wordsOf(value)] as const)
    .filter(([, words]) => words !== '' && !says(msg, words))
    .map(([name, words]) => `${name.replaceAll('_', ' ')}: ${words}`)
  const kept = Object.fromEntries(Object.entries(line).filter(([name]) => SHOWN.has(name)))
  return details.length === 0 ? kept : { ...kept, msg: `${msg} (${details.join(', ')})`.trimStart() }
}

const WORD = /[\w-]/

/** Whether a text holds these words whole: 20 is not said by 202. */
function says(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (!WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + words.length))) return true
  }
  return false
}

/** A stranger's text may not move the cursor, nor begin a line. */
const escaped = (sign: string) => (sign === '\n' ? '\\n' : `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** A value without the signs of JSON: of flags those that are set, of a list its items. */
function wordsOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(wordsOf).join('; ')
  if (typeof value === 'string') return value.replaceAll(/\p{Cc}/gu, escaped)
  if (typeof value !== 'object') return JSON.stringify(value)
  return Object.entries(value)
    .filter(([, held]) => held !== false)
    .map(([name, held]) => (held === true ? name : `${name} ${wordsOf(held)}`))
    .join(', ')
}
