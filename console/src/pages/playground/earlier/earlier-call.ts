import { PLAYGROUND_ENDPOINTS } from '../endpoints.ts'
import { isObject, isOperation } from '../operation.ts'
import { text } from '../text.ts'

/** A call that runs before the request of the recipe. `$TEXT` in the recipe stands for the result of the call with the variable `TEXT`. */
export type EarlierCall = { variable: string; path: string; body: Record<string, unknown> }

/** The sources that earlier calls returned, by variable. */
export type EarlierResults = Readonly<Record<string, string>>

const MAX_CALLS = 20
export const STAMPS = 'stamps'
const PATHS = new Set([STAMPS, ...PLAYGROUND_ENDPOINTS.map(({ name }) => name)])
const NAME = /^[A-Z][A-Z0-9_]{0,31}$/

export function readEarlier(value: unknown): EarlierCall[] {
  return Array.isArray(value) ? value.map(withVariable).filter(isEarlierCall).slice(0, MAX_CALLS) : []
}

/** Renames the field of a variable in links from before November 28, 2026. */
const withVariable = (call: unknown): unknown =>
  isObject(call) && 'gives' in call ? { variable: call['gives'], path: call['path'], body: call['body'] } : call

const isEarlierCall = (value: unknown): value is EarlierCall => {
  if (!isObject(value)) return false
  const { variable, path, body } = value
  return (
    typeof variable === 'string' &&
    NAME.test(variable) &&
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

export function insertResults<Value>(value: Value, results: EarlierResults): Value {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) =>
    typeof item === 'string' && item.startsWith('$') ? (results[item.slice(1)] ?? item) : item,
  ) as Value
}

/** Returns, in running order, the calls whose results `body` needs, directly or through other calls. */
export function neededCalls(calls: readonly EarlierCall[], body: unknown): EarlierCall[] {
  return calls.reduceRight<EarlierCall[]>(
    (needed, call) => (JSON.stringify([body, needed]).includes(`"$${call.variable}"`) ? [call, ...needed] : needed),
    [],
  )
}

export const textWatermark = (calls: readonly EarlierCall[], source: unknown): EarlierCall | undefined =>
  calls.find(({ variable, path }) => path === STAMPS && source === `$${variable}`)

export function freeName(calls: readonly EarlierCall[]): string {
  const isFree = (name: string) => calls.every(({ variable }) => variable !== name)
  const names = ['TEXT', ...calls.map((_, index) => `TEXT_${String(index + 2)}`)]
  return names.find(isFree) ?? 'TEXT'
}

export const lineOf = ({ path, body }: EarlierCall): string =>
  path === STAMPS
    ? text.createTheTextWatermark(String(body['text']))
    : (PLAYGROUND_ENDPOINTS.find(({ name }) => name === path)?.label ?? path)
