/**
 * A picture as the pixel loops work on it. Its rows run from the top without padding, with 8 bits a channel and
 * straight alpha.
 */
export type RawPicture = {
  data: Buffer
  width: number
  height: number
  /** 1 grey, 2 grey and alpha, 3 red, green, blue, 4 the same and alpha. */
  channels: 1 | 2 | 3 | 4
}
