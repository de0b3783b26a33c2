export type Trend = {
  mean: number
  slope: number
  /** Half the width of the interval that contains the slope with 95 % confidence. */
  confidence: number
}

type Point = { atMs: number; value: number }

const HOUR_MS = 3_600_000
/** Consecutive samples are correlated, so each 30 seconds of samples count as one value. */
const BLOCK_MS = 30_000

/** Student's t for 95 % (two-sided), for 1 to 15 degrees of freedom. For more degrees of freedom, 2 is used. */
const STUDENT = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13]

export function trendOf(points: readonly Point[]): Trend {
  const blocks = [...Map.groupBy(points, ({ atMs }) => Math.floor(atMs / BLOCK_MS)).values()].map((block) => ({
    x: meanOf(block.map(({ atMs }) => atMs)) / HOUR_MS,
    y: meanOf(block.map(({ value }) => value)),
  }))
  const [meanX, meanY] = [meanOf(blocks.map(({ x }) => x)), meanOf(blocks.map(({ y }) => y))]
  const spread = blocks.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const slope = spread === 0 ? 0 : blocks.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread
  const freedom = blocks.length - 2
  if (freedom < 1) return { mean: meanY, slope, confidence: Number.POSITIVE_INFINITY }
  const rest = blocks.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0)
  const error = Math.sqrt(rest / freedom / spread)
  return { mean: meanY, slope, confidence: (STUDENT[freedom - 1] ?? 2) * error }
}

/** Returns whether values increase by more than `share` of their mean per hour. About 1 in 40 checks fails by chance. */
export function isGrowing({ mean, slope, confidence }: Trend, share: number): boolean {
  return slope - confidence > Math.abs(mean) * share
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** Returns the 95 % confidence interval of a percentile, from the ranks of the sample. */
export function percentileInterval(values: readonly number[], share: number): [low: number, high: number] {
  const sorted = values.toSorted((a, b) => a - b)
  const spread = 1.96 * Math.sqrt(sorted.length * share * (1 - share))
  const middle = share * sorted.length
  return [
    sorted[Math.floor(middle - spread)] ?? Number.NEGATIVE_INFINITY,
    sorted[Math.ceil(middle + spread)] ?? Number.POSITIVE_INFINITY,
  ]
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
