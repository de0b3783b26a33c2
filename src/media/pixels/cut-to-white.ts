import { cutOut } from './cutout.ts'
import type { StripFrame } from './filmstrip.ts'

/** Paints white what a cutout removes, as far as it removes it. The frame's own alpha stays as it was. */
export function cutToWhite(frame: StripFrame, tolerance: number, blur: number): StripFrame {
  const { channels, data } = frame
  const original = channels === 4 ? Buffer.from(data) : data
  const { data: cut } = cutOut({ ...frame, data: original }, tolerance, blur)
  for (let from = 0, to = 0; to < data.length; from += 4, to += channels) {
    const before = channels === 4 ? (data[to + 3] ?? 0) : 255
    const after = cut[from + 3] ?? 0
    if (after === before) continue
    for (let channel = 0; channel < 3; channel += 1) {
      data[to + channel] = 255 - Math.round(((255 - (cut[from + channel] ?? 0)) * after) / before)
    }
  }
  return frame
}
