import type { Rgba } from '@mediamill/contract/domain/color'
import type { Size } from '@mediamill/contract/domain/size'

export type Rectangle = { left: number; top: number; width: number; height: number }
export type Margins = { top: number; bottom: number; left: number; right: number; color: Rgba }

/**
 * What one run of sharp does, in the order in which sharp does it. Whatever the order of the calls, that is extract,
 * resize, mirror, turn, crop, extend (sharp 0.35, `pipeline.cc`).
 */
export type Pipeline = {
  extract: Rectangle | undefined
  resize: Size | undefined
  /** Mirrored left to right before it is turned. */
  mirror: boolean
  /** Degrees clockwise, 0 to 359. */
  turn: number
  /** Only after a resize, as sharp takes any other as `extract`; and without `extend`. */
  crop: Rectangle | undefined
  extend: Margins | undefined
}

/** A pipeline that leaves the picture as it is: what decodes and encodes without drawing. */
export const PASS_THROUGH: Pipeline = {
  extract: undefined,
  resize: undefined,
  mirror: false,
  turn: 0,
  crop: undefined,
  extend: undefined,
}

/** What is left of a pipeline whose extract and resize are done. */
export function afterResize(pipeline: Pipeline): Pipeline {
  const { resize, turn, crop } = pipeline
  const rest = { ...pipeline, extract: undefined, resize: undefined, crop: undefined }
  if (resize === undefined || crop === undefined) return rest
  const turned = turn % 180 === 0 ? resize : { width: resize.height, height: resize.width }
  // Without its resize the crop is an extract, which sharp does before it turns.
  return { ...rest, extract: beforeTurning(crop, turned, pipeline) }
}

/**
 * Finds where a part of a turned and mirrored frame lay before. `frame` is the frame's size; so an extract can come
 * first.
 */
export function beforeTurning(part: Rectangle, frame: Size, { mirror, turn }: Pipeline): Rectangle {
  let { left, top, width, height } = part
  let size = frame
  for (let undone = 0; undone < turn; undone += 90) {
    // One quarter turn back, counterclockwise.
    ;[left, top, width, height] = [top, size.width - left - width, height, width]
    size = { width: size.height, height: size.width }
  }
  return { left: mirror ? size.width - left - width : left, top, width, height }
}

/** Returns a pipeline that draws the same `scale` times as large. It has no extract. */
export function scaled(pipeline: Pipeline, picture: Size, scale: number): Pipeline {
  const by = (pixels: number) => Math.round(pixels * scale)
  const size = ({ width, height }: Size) => ({ width: Math.max(1, by(width)), height: Math.max(1, by(height)) })
  const { resize = picture, crop, extend } = pipeline
  const full = pipeline.turn % 180 === 0 ? size(resize) : turnedSize(size(resize))
  return {
    ...pipeline,
    resize: size(resize),
    crop: crop && within({ left: by(crop.left), top: by(crop.top), ...size(crop) }, full),
    extend: extend && {
      color: extend.color,
      top: by(extend.top),
      bottom: by(extend.bottom),
      left: by(extend.left),
      right: by(extend.right),
    },
  }
}

const turnedSize = ({ width, height }: Size): Size => ({ width: height, height: width })

/** Rounding can lead one pixel past the frame. */
const within = ({ left, top, width, height }: Rectangle, frame: Size): Rectangle => {
  const [x, y] = [Math.min(left, frame.width - 1), Math.min(top, frame.height - 1)]
  return { left: x, top: y, width: Math.min(width, frame.width - x), height: Math.min(height, frame.height - y) }
}
