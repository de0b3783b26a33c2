import { formatName } from '../components/format.ts'
import { shared } from '../text.ts'

type FieldProblem = { param: string; code: string; message: string }

/** The service rejected a call, or could not be reached. `message` is for people. */
export class CallError extends Error {
  override name = 'CallError'
  /** The HTTP status, or 0 if the service could not be reached. */
  readonly status: number
  readonly code: string
  readonly problems: FieldProblem[]
  readonly docUrl: string | undefined

  constructor(status: number, code: string, message: string, problems: FieldProblem[] = [], docUrl?: string) {
    super(message)
    this.status = status
    this.code = code
    this.problems = problems
    this.docUrl = docUrl
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : shared.unexpectedError
}

/** Returns whether a retry can succeed. If the service rejected the call, a retry fails too. */
export const canRetry = (error: unknown) =>
  !(error instanceof CallError) || error.status === 0 || error.status === 429 || error.status >= 500

/** Returns messages by field. With `below`, keeps only fields under this path, and removes the path from names. */
export function messagesByField(error: unknown, below = ''): Record<string, string> {
  if (!(error instanceof CallError)) return {}
  const prefix = below === '' ? '' : `${below}.`
  return Object.fromEntries(
    error.problems
      .filter(({ param }) => param.startsWith(prefix))
      .map(({ param, message }) => [param.slice(prefix.length), messageForPeople(param, message)]),
  )
}

/** Replaces the path of a field (`operations.1.width`) in a message with its label (`Width`). */
function messageForPeople(param: string, message: string): string {
  const label = formatName(param.split('.').at(-1) ?? param)
  return [param, param.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')].reduce(
    (text, path) => text.replaceAll(path, (_, at: number) => (at === 0 ? label : label.toLowerCase())),
    message,
  )
}
