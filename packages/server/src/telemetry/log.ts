import { fstatSync } from 'node:fs'
import { escapeControls } from '@mediamill/contract/lib/format-text'
import type { DestinationStream, Logger } from 'pino'
import { pino } from 'pino'
import { terminalLines } from './terminal-log.ts'

export type { Logger } from 'pino'

/** Creates a logger, which removes text that may contain secrets. */
export function createLog(level: string, role: string, to?: DestinationStream): Logger {
  const options = {
    level,
    base: { role, pid: process.pid },
    redact: ['req.headers.authorization', '*.authorization', '*.secretKey', '*.databaseUrl'],
    serializers: { err: describeError },
    hooks: { streamWrite: strikeOut },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  if (to !== undefined) return pino(options, to)
  return pino(options, process.stdout.isTTY ? terminal() : standardOutput())
}

/** Opens stdout. If its disk is full or nothing reads it, queues up to 1 MB, and drops later lines. */
function standardOutput(): DestinationStream {
  const { fd } = process.stdout
  // A synchronous write to a pipe would stop the process while nothing reads the pipe. To a file, an asynchronous
  // stream would flush at the exit of the process, and would repeat a failed write without end.
  const output = pino.destination({ dest: fd, sync: !isPipe(fd), maxLength: 1_000_000 })
  output.on('error', () => undefined)
  return output
}

function isPipe(descriptor: number): boolean {
  const stats = fstatSync(descriptor)
  return stats.isFIFO() || stats.isSocket()
}

function terminal(): DestinationStream {
  const readable = terminalLines({ colorize: process.stdout.hasColors() })
  return { write: (line) => void process.stdout.write(readable(line)) }
}

/** The fields of an error that are logged. The other fields of PostgreSQL errors contain rows and queries. */
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
  return Object.fromEntries(ERROR_FIELDS.map((field) => [field, described[field]]))
}

function describeText(text: string): object {
  const [message = ''] = text.split('\n', 1)
  return message === text ? { message } : { message, stack: text }
}

const STRUCK: readonly (readonly [RegExp, string])[] = [
  [/\b(svc_(?:live|test)_|whsec_)[\w+/=-]+/g, '$1…'],
  [/\b(Bearer )[^\s"\\]+/gi, '$1…'],
  [/(#token=)[\w-]+/g, '$1…'],
  [/(:\/\/)[^\s"'<>\\/@]+@/g, '$1…@'],
]

/** Matches a URL up to its fragment at once, so that the time increases linearly with the length. */
const ADDRESS = /:\/\/[^\s"'<>\\?#]*(?:\?[^\s"'<>\\#]*)?/g

function strikeOut(line: string): string {
  const withoutQueries = line.replace(ADDRESS, withoutQuery)
  const struck = STRUCK.reduce((text, [pattern, rest]) => text.replace(pattern, rest), withoutQueries)
  // JSON does not escape C1 and bidirectional control characters, but `docker logs` prints lines to a terminal.
  return escapeControls(struck)
}

function withoutQuery(address: string): string {
  const query = address.indexOf('?')
  return query === -1 ? address : `${address.slice(0, query)}?…`
}
