export class BrokenRule extends Error {}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Throws if two values differ. The order of fields does not matter. */
export function same(actual: unknown, expected: unknown, what: string): void {
  if (sorted(actual) === sorted(expected)) return
  throw new BrokenRule(`${what}: expected ${shown(expected)}, received ${shown(actual)}.`)
}

export function holds(condition: boolean, what: string, received?: unknown): asserts condition {
  if (!condition) throw new BrokenRule(received === undefined ? `${what}.` : `${what}: received ${shown(received)}.`)
}

export function matches(actual: unknown, pattern: RegExp, what: string): void {
  holds(typeof actual === 'string' && pattern.test(actual), `${what} must look like ${String(pattern)}`, actual)
}

export function within(actual: unknown, least: number, most: number, what: string): void {
  holds(
    typeof actual === 'number' && actual >= least && actual <= most,
    `${what} must be ${least} to ${most}`,
    actual ?? null,
  )
}

function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, item]) => `${name}:${sorted(item)}`).join(',')}}`
}
