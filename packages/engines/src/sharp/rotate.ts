import type { Size } from '@mediamill/contract/domain/size'
import type { AffineOptions, Sharp } from 'sharp'

/**
 * Rotates an image of `size` clockwise about its center, and enlarges the canvas. For angles other than quarter turns,
 * libvips (8.18) rotates the top left corners of the pixels instead of their centers, and rounds the position on the
 * canvas: the image moves by up to 1.7 pixels, out of the canvas.
 */
export function rotate(image: Sharp, degrees: number, size: Size, background: AffineOptions['background']): Sharp {
  if (degrees % 90 === 0) return image.rotate(degrees)
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const matrix: [[number, number], [number, number]] = [
    [cos, -sin],
    [sin, cos],
  ]
  const odx = (cos - sin - 1) / 2 + roundingOffset(cos * size.width, -sin * size.height)
  const ody = (sin + cos - 1) / 2 + roundingOffset(sin * size.width, cos * size.height)
  return image.affine(matrix, { background, interpolator: 'bilinear', odx, ody })
}

/**
 * Returns the distance from the center of the rotated image to the center of the canvas on one axis. libvips rounds the
 * start and the length of the canvas by adding 0.5. `across` and `down` are the rotated sides on this axis.
 */
function roundingOffset(across: number, down: number): number {
  const start = Math.min(across, 0) + Math.min(down, 0)
  const length = Math.max(across, 0) + Math.max(down, 0) - start
  return Math.floor(length + 0.5) / 2 - Math.floor(0.5 - start) - (across + down) / 2
}
