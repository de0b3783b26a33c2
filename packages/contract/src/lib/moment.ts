export type Span = { from: Date; until: Date }

const DAY_MS = 86_400_000

/** A date is a day in UTC; a time with its zone is a millisecond. `undefined` for text such as `infinity` or `now`. */
export function spanOf(text: string): Span | undefined {
  const pattern = /^((?!0000)\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/
  const [, date, time] = pattern.exec(text) ?? []
  const day = Date.parse(date ?? '')
  const from = Date.parse(text)
  // JavaScript reads the 30th of February as a day of March.
  if (date === undefined || Number.isNaN(from) || new Date(day).toISOString().slice(0, 10) !== date) return undefined
  return { from: new Date(from), until: new Date(from + (time === undefined ? DAY_MS : 1)) }
}
