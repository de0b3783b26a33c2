/** Decoded pixels: rows from the top without padding, 8 bits per channel, alpha not premultiplied. */
export type RawImage = {
  data: Buffer
  width: number
  height: number
  channels: 3 | 4
}
