import { PLAYGROUND_ENDPOINTS } from '../endpoints.ts'

/** A call that runs before the recipe's own. The recipe contains `$` and `gives` where it needs the outcome. */
export type EarlierCall = { gives: string; path: string; body: Record<string, unknown> }

/** The sources that earlier calls returned, by the names that recipes contain with `$`. */
export type Given = Readonly<Record<string, string>>

const MAX_CALLS = 20
export const STAMPS = 'stamps'
const PATHS = new Set([STAMPS, ...PLAYGROUND_ENDPOINTS.map(({ name }) => name)])
const NAME = /^[A-Z][A-Z0-9_]{0,31}$/

/** Reads the calls of an address, and leaves out invalid ones. */
export function readEarlier(value: unknown): EarlierCall[] {
  return Array.isArray(value) ? value.filter(isEarlierCall).slice(0, MAX_CALLS) : []
}

const isEarlierCall = (value: unknown): value is EarlierCall => {
  if (typeof value !== 'object' || value === null) return false
  const { gives, path, body } = value as Record<string, unknown>
  return (
    typeof gives === 'string' &&
    NAME.test(gives) &&
    typeof path === 'string' &&
    PATHS.has(path) &&
    typeof body === 'object' &&
    body !== null
  )
}

/** The same value with the sources that earlier calls returned in place of their names. */
export function withGiven<Value>(value: Value, given: Given): Value {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string' && item.startsWith('$') ? (given[item.slice(1)] ?? item) : item,
  ) as Value
}

/** The calls whose outcome `body` needs, directly or through another call, in their order. */
export function neededCalls(calls: readonly EarlierCall[], body: unknown): EarlierCall[] {
  return calls.reduceRight<EarlierCall[]>(
    (needed, call) => (JSON.stringify([body, needed]).includes(`"$${call.gives}"`) ? [call, ...needed] : needed),
    [],
  )
}

/** The text watermark that `source` names, if there is one. */
export const textWatermark = (calls: readonly EarlierCall[], source: unknown): EarlierCall | undefined =>
  calls.find(({ gives, path }) => path === STAMPS && source === `$${gives}`)

/** `TEXT`, or `TEXT_2` if that name is in use. */
export function freeName(calls: readonly EarlierCall[]): string {
  const isFree = (name: string) => calls.every(({ gives }) => gives !== name)
  const names = ['TEXT', ...calls.map((_, index) => `TEXT_${String(index + 2)}`)]
  return names.find(isFree) ?? 'TEXT'
}

/** Describes a call in one line. */
export const lineOf = ({ path, body }: EarlierCall): string =>
  path === STAMPS
    ? `Create the text watermark “${String(body['text'])}”`
    : (PLAYGROUND_ENDPOINTS.find(({ name }) => name === path)?.label ?? path)
