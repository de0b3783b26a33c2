import type { Rgba } from '@mediamill/contract/domain/color'
import type { Size } from '@mediamill/contract/domain/size'

export type Rectangle = { left: number; top: number; width: number; height: number }
type Margins = { top: number; bottom: number; left: number; right: number; color: Rgba }

/** One run of sharp, whose order is fixed: extract, resize, mirror, turn, crop, extend (0.35, `pipeline.cc`). */
export type Pipeline = {
  extract: Rectangle | undefined
  resize: Size | undefined
  mirror: boolean
  turn: number
  /** Set for other angles than quarter turns. */
  sizeBeforeTurn: Size | undefined
  /**
   * The area to keep after the rotation. Requires `resize`: without a resize, sharp would extract before it rotates.
   */
  crop: Rectangle | undefined
  extend: Margins | undefined
}

export const PASS_THROUGH: Pipeline = {
  extract: undefined,
  resize: undefined,
  mirror: false,
  turn: 0,
  sizeBeforeTurn: undefined,
  crop: undefined,
  extend: undefined,
}

/** Returns whether every pixel of the result is a pixel of the image. */
export const keepsColors = ({ resize, turn, extend }: Pipeline): boolean =>
  resize === undefined && turn % 90 === 0 && extend === undefined

export function afterResize(pipeline: Pipeline): Pipeline {
  const { resize, turn, crop } = pipeline
  const rest = { ...pipeline, extract: undefined, resize: undefined, crop: undefined }
  if (resize === undefined || crop === undefined) return rest
  const turned = turn % 180 === 0 ? resize : { width: resize.height, height: resize.width }
  return { ...rest, extract: beforeTurning(crop, turned, pipeline) }
}

/** Returns the area of the original frame that becomes `part` after the flip and the rotation. */
export function beforeTurning(part: Rectangle, frame: Size, { mirror, turn }: Pipeline): Rectangle {
  let { left, top, width, height } = part
  let size = frame
  for (let undone = 0; undone < turn; undone += 90) {
    ;[left, top, width, height] = [top, size.width - left - width, height, width]
    size = { width: size.height, height: size.width }
  }
  return { left: mirror ? size.width - left - width : left, top, width, height }
}
