import type { DestinationStream, Logger } from 'pino'
import { pino } from 'pino'
import { terminalLines } from './terminal-log.ts'

export type { Logger } from 'pino'

/**
 * The log of a process: JSON lines on stdout, readable ones on a terminal.
 *
 * Keys, secrets and bodies are never handed to it; what might hold one by accident is struck out, whoever logs it.
 */
export function createLog(level: string, role: string, to?: DestinationStream): Logger {
  const options = {
    level,
    base: { role, pid: process.pid },
    // wall: what is a secret by its name in the log
    redact: ['req.headers.authorization', '*.authorization', '*.secretKey', '*.databaseUrl'],
    serializers: { err: describeError },
    hooks: { streamWrite: strikeOut },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  if (to !== undefined) return pino(options, to)
  return process.stdout.isTTY ? pino(options, terminal()) : pino(options)
}

function terminal(): DestinationStream {
  const readable = terminalLines({ colorize: process.stdout.hasColors() })
  return { write: (line) => void process.stdout.write(readable(line)) }
}

/** What of an error is logged. PostgreSQL quotes the whole row that it refuses in `detail`, and queries in others. */
const ERROR_FIELDS = [
  'type',
  'message',
  'stack',
  'code',
  'errno',
  'syscall',
  'severity',
  'table',
  'column',
  'constraint',
  'routine',
] as const

function describeError(error: unknown): unknown {
  if (typeof error === 'string') return describeText(error)
  if (!(error instanceof Error)) return undefined
  const described: Record<string, unknown> = { ...pino.stdSerializers.err(error) }
  // wall: rows that the database quotes in the log
  return Object.fromEntries(ERROR_FIELDS.map((field) => [field, described[field]]))
}

/** What an engine process says of an error is text, and most often a stack. */
function describeText(text: string): object {
  const [message = ''] = text.split('\n', 1)
  return message === text ? { message } : { message, stack: text }
}

/** What shows no secret by its place but by its looks, and what is left of it. */
const STRUCK: readonly (readonly [RegExp, string])[] = [
  // wall: keys and secrets in the log
  [/\b(svc_(?:live|test)_|whsec_)[\w+/=-]+/g, '$1…'],
  // wall: bearer tokens in the log
  [/\b(Bearer )[^\s"\\]+/gi, '$1…'],
  // wall: sign-in links in the log
  [/(#token=)[\w-]+/g, '$1…'],
  // wall: passwords of URLs in the log
  [/(:\/\/)[^\s"'<>\\/@]+@/g, '$1…@'],
]

/** An address up to its fragment. The query is optional, so that a match consumes the whole address and the time stays linear. */
const ADDRESS = /:\/\/[^\s"'<>\\?#]*(?:\?[^\s"'<>\\#]*)?/g

function strikeOut(line: string): string {
  // wall: queries of URLs in the log
  const withoutQueries = line.replace(ADDRESS, withoutQuery)
  return STRUCK.reduce((struck, [pattern, rest]) => struck.replace(pattern, rest), withoutQueries)
}

/** A query can hold an access token. */
function withoutQuery(address: string): string {
  const query = address.indexOf('?')
  return query === -1 ? address : `${address.slice(0, query)}?…`
}
