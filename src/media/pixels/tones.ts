import type { RawPicture } from './raw-picture.ts'

/** Gives every red, green and blue the value that stands for it in a table of 256, in place; alpha is kept. */
export function applyTones({ data, channels }: RawPicture, table: Uint8Array): void {
  for (let at = 0; at < data.length; at += channels) {
    data[at] = table[data[at] ?? 0] ?? 0
    data[at + 1] = table[data[at + 1] ?? 0] ?? 0
    data[at + 2] = table[data[at + 2] ?? 0] ?? 0
  }
}
