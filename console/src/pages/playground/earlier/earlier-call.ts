import { PLAYGROUND_ENDPOINTS } from '../endpoints.ts'
import { isObject, isOperation } from '../operation.ts'
import { text } from '../text.ts'

/** A call that runs before the recipe's request. If `gives` is `TEXT`, `$TEXT` in the recipe stands for its result. */
export type EarlierCall = { gives: string; path: string; body: Record<string, unknown> }

export type Given = Readonly<Record<string, string>>

const MAX_CALLS = 20
export const STAMPS = 'stamps'
const PATHS = new Set([STAMPS, ...PLAYGROUND_ENDPOINTS.map(({ name }) => name)])
const NAME = /^[A-Z][A-Z0-9_]{0,31}$/

export function readEarlier(value: unknown): EarlierCall[] {
  return Array.isArray(value) ? value.filter(isEarlierCall).slice(0, MAX_CALLS) : []
}

const isEarlierCall = (value: unknown): value is EarlierCall => {
  if (!isObject(value)) return false
  const { gives, path, body } = value
  return (
    typeof gives === 'string' &&
    NAME.test(gives) &&
    typeof path === 'string' &&
    PATHS.has(path) &&
    isObject(body) &&
    isListOf(isOperation, body['operations']) &&
    isListOf(isObject, body['outputs']) &&
    (body['variables'] === undefined || isObject(body['variables']))
  )
}

const isListOf = (isItem: (item: unknown) => boolean, value: unknown = []): boolean =>
  Array.isArray(value) && value.every(isItem)

export function withGiven<Value>(value: Value, given: Given): Value {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string' && item.startsWith('$') ? (given[item.slice(1)] ?? item) : item,
  ) as Value
}

/** Returns, in running order, the calls whose results `body` needs, directly or through other calls. */
export function neededCalls(calls: readonly EarlierCall[], body: unknown): EarlierCall[] {
  return calls.reduceRight<EarlierCall[]>(
    (needed, call) => (JSON.stringify([body, needed]).includes(`"$${call.gives}"`) ? [call, ...needed] : needed),
    [],
  )
}

export const textWatermark = (calls: readonly EarlierCall[], source: unknown): EarlierCall | undefined =>
  calls.find(({ gives, path }) => path === STAMPS && source === `$${gives}`)

export function freeName(calls: readonly EarlierCall[]): string {
  const isFree = (name: string) => calls.every(({ gives }) => gives !== name)
  const names = ['TEXT', ...calls.map((_, index) => `TEXT_${String(index + 2)}`)]
  return names.find(isFree) ?? 'TEXT'
}

export const lineOf = ({ path, body }: EarlierCall): string =>
  path === STAMPS
    ? text.createTheTextWatermark(String(body['text']))
    : (PLAYGROUND_ENDPOINTS.find(({ name }) => name === path)?.label ?? path)
