/** An image with four bytes per pixel: red, green, blue, and alpha. Rows start at the top. */
export type Image = { width: number; height: number; pixels: Buffer }
export type Color = readonly [red: number, green: number, blue: number, alpha?: number]

export function draw(width: number, height: number, colorAt: (x: number, y: number) => Color): Image {
  const pixels = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [red, green, blue, alpha = 255] = colorAt(x, y)
      pixels.set([red, green, blue, alpha], (y * width + x) * 4)
    }
  }
  return { width, height, pixels }
}

export const RED: Color = [220, 20, 30]
export const GREEN: Color = [20, 180, 40]
export const BLUE: Color = [30, 40, 210]
export const GRAY: Color = [128, 128, 128]
export const WHITE: Color = [255, 255, 255]

/** Draws red and green above blue and gray, so that each orientation looks different. */
export const quarters = (width = 80, height = 60): Image =>
  draw(width, height, (x, y) => (y < height / 2 ? (x < width / 2 ? RED : GREEN) : x < width / 2 ? BLUE : GRAY))

export function colorAt({ width, pixels }: Image, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]
}

/** Returns whether a pixel has a color. Each channel may differ by `tolerance`. */
export function isColor(image: Image, x: number, y: number, [red, green, blue, alpha = 255]: Color, tolerance = 3) {
  const found = colorAt(image, x, y)
  return [red, green, blue, alpha].every((value, channel) => Math.abs(value - (found[channel] ?? -99)) <= tolerance)
}

/** Returns the largest difference of any channel, or infinity if the sizes differ. */
export function farthest(one: Image, other: Image): number {
  if (one.width !== other.width || one.height !== other.height) return Number.POSITIVE_INFINITY
  return one.pixels.reduce((most, value, at) => Math.max(most, Math.abs(value - (other.pixels[at] ?? 0))), 0)
}
