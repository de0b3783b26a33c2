import type { RadialLayer } from '@mediamill/contract/drawing/look'

/** All radial layers of a filter combined. Blending a color changes each channel to `scale * value + offset`. */
export type RadialTable = {
  /** For each distance from the center, and each channel: factors of the filtered and original value, and an offset. */
  terms: Int32Array
}

const RADIAL_ONE = 65_536
/** The number of distances in the table. They are denser far from the center, where layers change most. */
export const RADIAL_DISTANCES = 1024
export const TERMS_PER_DISTANCE = 9

export function bakeRadial(layers: readonly RadialLayer[], strength: number): RadialTable | undefined {
  if (layers.length === 0) return undefined
  const terms = new Int32Array(RADIAL_DISTANCES * TERMS_PER_DISTANCE)
  for (let distance = 0; distance < RADIAL_DISTANCES; distance += 1) {
    const at = Math.sqrt(distance / (RADIAL_DISTANCES - 1))
    for (const channel of [0, 1, 2] as const) {
      const { scale, offset } = stack(layers, at, channel)
      const term = distance * TERMS_PER_DISTANCE + channel * 3
      // The filtered value contains 1 - strength of the original. `scale` reduces it. The second term restores it.
      terms[term] = Math.round(scale * RADIAL_ONE)
      terms[term + 1] = Math.round((1 - strength) * (1 - scale) * RADIAL_ONE)
      terms[term + 2] = Math.round(strength * offset * 255 * RADIAL_ONE) + RADIAL_ONE / 2
    }
  }
  return { terms }
}

type Affine = { scale: number; offset: number }

function stack(layers: readonly RadialLayer[], at: number, channel: 0 | 1 | 2): Affine {
  let [scale, offset] = [1, 0]
  for (const layer of layers) {
    const over = affine(layer.blend, layer.color[channel] / 255, opacityAt(layer, at))
    scale *= over.scale
    offset = offset * over.scale + over.offset
  }
  return { scale, offset }
}

function affine(blend: RadialLayer['blend'], part: number, opacity: number): Affine {
  switch (blend) {
    case 'normal':
      return { scale: 1 - opacity, offset: opacity * part }
    case 'multiply':
      return { scale: 1 - opacity + opacity * part, offset: 0 }
    case 'screen':
      return { scale: 1 - opacity * part, offset: opacity * part }
  }
}

/** Returns the opacity of a layer. It changes smoothly, because an abrupt change would be visible as an oval. */
function opacityAt({ inner, outer }: RadialLayer, at: number): number {
  const t = Math.min(1, Math.max(0, (at - inner.at) / (outer.at - inner.at)))
  return inner.opacity + (outer.opacity - inner.opacity) * t * t * (3 - 2 * t)
}
