import type { AVPixelFormat } from 'node-av/constants'
import type { Frame } from 'node-av/lib'
import { check, existing, newFrame } from './libav.ts'

/** The rows of a plane from the top, without padding. */
type Plane = { data: Buffer; rowBytes: number }

/** Returns a frame with a copy of the planes. node-av's `Frame.fromVideoBuffer` uses a buffer that may be freed. */
export function imageFrame(
  size: { width: number; height: number },
  format: AVPixelFormat,
  planes: readonly Plane[],
): Frame {
  const frame = newFrame()
  frame.width = size.width
  frame.height = size.height
  frame.format = format
  check(frame.getBuffer(), 'allocate memory for an image')
  const rows = existing(frame.data, 'memory')
  for (const [index, { data, rowBytes }] of planes.entries()) {
    const to = existing(rows[index], 'plane')
    const step = existing(frame.linesize[index], 'plane')
    for (let from = 0, at = 0; from < data.length; from += rowBytes, at += step) {
      data.copy(to, at, from, from + rowBytes)
    }
  }
  frame.pts = 0n
  return frame
}
