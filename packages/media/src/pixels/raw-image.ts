/** Decoded pixels: rows from the top without padding, 8 bits per channel, alpha not premultiplied. */
export type RawImage = {
  data: Buffer
  width: number
  height: number
  /** The number of channels: 3 RGB, 4 RGBA. */
  channels: 3 | 4
}
