import type { AffineOptions, Sharp } from 'sharp'

/**
 * Rotates clockwise, and enlarges the canvas. For angles other than quarter turns, libvips (8.18) rotates the top left
 * corners of the pixels instead of their centers: the image moves by up to a pixel, out of the canvas.
 */
export function rotate(image: Sharp, degrees: number, background: AffineOptions['background']): Sharp {
  if (degrees % 90 === 0) return image.rotate(degrees)
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const matrix: [[number, number], [number, number]] = [
    [cos, -sin],
    [sin, cos],
  ]
  const [odx, ody] = [(cos - sin - 1) / 2, (sin + cos - 1) / 2]
  return image.affine(matrix, { background, interpolator: 'bilinear', odx, ody })
}
