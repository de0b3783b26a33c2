import { isDeepStrictEqual } from 'node:util'

export class RuleViolation extends Error {}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Throws if two values differ. The order of fields does not matter. */
export function equal(actual: unknown, expected: unknown, label: string): void {
  if (isDeepStrictEqual(actual, expected)) return
  throw new RuleViolation(`${label}: expected ${shown(expected)}, received ${shown(actual)}.`)
}

export function ok(condition: boolean, label: string, received?: unknown): asserts condition {
  if (!condition)
    throw new RuleViolation(received === undefined ? `${label}.` : `${label}: received ${shown(received)}.`)
}

export function match(actual: unknown, pattern: RegExp, label: string): void {
  ok(typeof actual === 'string' && pattern.test(actual), `${label} must look like ${String(pattern)}`, actual)
}

export function inRange(actual: unknown, minimum: number, maximum: number, label: string): void {
  ok(
    typeof actual === 'number' && actual >= minimum && actual <= maximum,
    `${label} must be ${minimum} to ${maximum}`,
    actual ?? null,
  )
}
