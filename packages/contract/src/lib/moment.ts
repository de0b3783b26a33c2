export type Span = { from: Date; until: Date }

const DAY_MS = 86_400_000

/** Returns the UTC day of a date, or the single millisecond of a time with a zone. `undefined` for other text. */
export function spanOf(text: string): Span | undefined {
  const pattern = /^((?!0000)\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/
  const [, date, time] = pattern.exec(text) ?? []
  const day = Date.parse(date ?? '')
  const from = Date.parse(text)
  // JavaScript parses February 30 as a day in March.
  if (date === undefined || Number.isNaN(from) || new Date(day).toISOString().slice(0, 10) !== date) return undefined
  return { from: new Date(from), until: new Date(from + (time === undefined ? DAY_MS : 1)) }
}
