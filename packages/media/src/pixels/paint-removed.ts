import type { Filmstrip } from './filmstrip.ts'

export function alphaOf({ data, channels }: Filmstrip): Uint8Array | undefined {
  if (channels === 3) return undefined
  const alpha = new Uint8Array(data.length / 4)
  for (let at = 0; at < alpha.length; at += 1) alpha[at] = data[at * 4 + 3] ?? 0
  return alpha
}

/** Paints white where a removal reduced the alpha, and restores the alpha. `kept` is the alpha before the removal. */
export function paintRemoved({ data }: Filmstrip, kept: Uint8Array | undefined): void {
  for (let pixel = 0, at = 0; at < data.length; pixel += 1, at += 4) {
    const before = kept === undefined ? 255 : (kept[pixel] ?? 0)
    const after = data[at + 3] ?? 0
    if (after >= before) continue
    for (let channel = at; channel < at + 3; channel += 1) {
      data[channel] = 255 - Math.round(((255 - (data[channel] ?? 0)) * after) / before)
    }
    data[at + 3] = before
  }
}
