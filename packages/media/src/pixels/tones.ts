import type { RawImage } from './raw-image.ts'

export function applyTones({ data, channels }: RawImage, table: Uint8Array): void {
  for (let at = 0; at < data.length; at += channels) {
    data[at] = table[data[at] ?? 0] ?? 0
    data[at + 1] = table[data[at + 1] ?? 0] ?? 0
    data[at + 2] = table[data[at + 2] ?? 0] ?? 0
  }
}
