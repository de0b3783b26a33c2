import type { Size } from '@mediamill/contract/domain/size'

type Area = Size & { left: number; top: number }

/** Returns the area that the property `clap` keeps (ISO 14496-12). Its offsets count from the center of the image. */
export function clapArea(clap: Buffer, image: Size): Area {
  const fraction = (numerator: number, at: number) => numerator / Math.max(1, clap.readUInt32BE(at + 4))
  const length = (at: number, max: number) =>
    Math.min(max, Math.max(1, Math.round(fraction(clap.readUInt32BE(at), at))))
  const start = (at: number, max: number) =>
    Math.min(max, Math.max(0, Math.round(max / 2 + fraction(clap.readInt32BE(at), at))))
  const [width, height] = [length(0, image.width), length(8, image.height)]
  return { left: start(16, image.width - width), top: start(24, image.height - height), width, height }
}
