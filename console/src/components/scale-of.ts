const ROUND = [1, 2, 5, 10]

/** Returns values for a chart's lines: at most five round numbers, at least `least` apart, that reach `greatest`. */
export function scaleOf(greatest: number, least: number): number[] {
  const rough = Math.max(greatest / 4, least)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = (ROUND.find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power
  const count = Math.max(1, Math.ceil(greatest / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}
