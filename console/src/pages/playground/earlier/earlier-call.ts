import { PLAYGROUND_ENDPOINTS } from '../endpoints.ts'

/** A call that is made first. The recipe writes `$` and its name where what it gives is needed. */
export type EarlierCall = { gives: string; path: string; body: Record<string, unknown> }

/** What calls gave, by the names that recipes write with `$`. */
export type Given = Readonly<Record<string, string>>

const MOST = 5
export const STAMPS = 'stamps'
const PATHS = new Set([STAMPS, ...PLAYGROUND_ENDPOINTS.map(({ name }) => name)])

/** Reads the calls that an address names, and leaves out whatever is none. */
export function readEarlier(value: unknown): EarlierCall[] {
  return Array.isArray(value) ? value.filter(isEarlierCall).slice(0, MOST) : []
}

const isEarlierCall = (value: unknown): value is EarlierCall => {
  if (typeof value !== 'object' || value === null) return false
  const { gives, path, body } = value as Record<string, unknown>
  return (
    typeof gives === 'string' &&
    /^[A-Z_]{1,32}$/.test(gives) &&
    typeof path === 'string' &&
    PATHS.has(path) &&
    typeof body === 'object' &&
    body !== null
  )
}

/** The same value with what calls gave in the places that name it. */
export function withGiven<Value>(value: Value, given: Given): Value {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string' && /^\$[A-Z_]+$/.test(item) ? (given[item.slice(1)] ?? item) : item,
  ) as Value
}

/** Tells whether a body still names what this call gives. */
export const isNamedIn = (body: unknown, { gives }: EarlierCall): boolean =>
  JSON.stringify(body).includes(`"$${gives}"`)

/** What the call is, in a line. */
export const lineOf = ({ path, body }: EarlierCall): string =>
  path === STAMPS
    ? `Draws the text “${String(body['text'])}”`
    : (PLAYGROUND_ENDPOINTS.find(({ name }) => name === path)?.label ?? path)
