import { Frame } from 'node-av/lib'

/** A frame for libav to fill. */
export function newFrame(): Frame {
  const frame = new Frame()
  frame.alloc()
  return frame
}
