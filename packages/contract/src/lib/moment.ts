type Span = { from: Date; until: Date }

export const DAY_MS = 86_400_000

/** Returns the UTC day of a time, such as `2026-11-22`. */
export const dayOf = (at: Date | number): string => new Date(at).toISOString().slice(0, 10)

/** Returns all days from `from` to `to`, both included. */
export function daysFrom(from: string, to: string): string[] {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return Array.from({ length: days }, (_, nth) => dayOf(Date.parse(from) + nth * DAY_MS))
}

/** The limits of a span. Outside of these years, JavaScript writes times that PostgreSQL cannot read. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Returns the time span of a date (its UTC day) or of a time with a zone (1 ms), otherwise `undefined`. */
export function spanOf(text: string): Span | undefined {
  const pattern = /^((?!0000)\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/
  const [, date, time] = pattern.exec(text) ?? []
  const day = Date.parse(date ?? '')
  const from = Date.parse(text)
  // JavaScript parses February 30 as a day in March.
  if (date === undefined || Number.isNaN(from) || dayOf(day) !== date) return undefined
  const until = from + (time === undefined ? DAY_MS : 1)
  return { from: within(from), until: within(until) }
}

const within = (ms: number) => new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS))
