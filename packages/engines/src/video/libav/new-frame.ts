import { Frame } from 'node-av/lib'

export function newFrame(): Frame {
  const frame = new Frame()
  frame.alloc()
  return frame
}
