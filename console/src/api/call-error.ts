import { formatName } from '../components/format.ts'

/** One invalid field of a refused call. */
export type FieldProblem = { param: string; code: string; message: string }

/** A call that was refused or did not come through; `message` is for people. */
export class CallError extends Error {
  override name = 'CallError'
  /** Of HTTP; 0 when the service could not be reached. */
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

/** Tells what to show of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something went wrong. Load the page again.'
}

/** Messages by field, for the fields of a form; `below` takes only those under it, and its name off them. */
export function messagesByField(error: unknown, below = ''): Record<string, string> {
  if (!(error instanceof CallError)) return {}
  const prefix = below === '' ? '' : `${below}.`
  return Object.fromEntries(
    error.problems
      .filter(({ param }) => param.startsWith(prefix))
      .map(({ param, message }) => [param.slice(prefix.length), messageForPeople(param, message)]),
  )
}

/** A message with the label of its field (`Width`) in place of the field's path in the API (`operations.1.width`). */
function messageForPeople(param: string, message: string): string {
  const label = formatName(param.split('.').at(-1) ?? param)
  return [param, param.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')].reduce(
    (text, path) => text.replaceAll(path, (_, at: number) => (at === 0 ? label : label.toLowerCase())),
    message,
  )
}
