import { AV_LOG_QUIET } from 'node-av/constants'
import { FFmpegError, Frame, Log, Packet } from 'node-av/lib'

// Log lines contain file names, and every result is checked.
Log.setLevel(AV_LOG_QUIET)

export const MICROSECONDS = { num: 1, den: 1_000_000 }

export class LibavError extends Error {
  override name = 'LibavError'
  readonly code: number

  constructor(code: number, action: string) {
    super(`${action}: ${FFmpegError.strerror(code)}`)
    this.code = code
  }
}

export function check(result: number, action: string): number {
  if (result < 0) throw new LibavError(result, action)
  return result
}

export function existing<T>(found: T | null | undefined, name: string): T {
  if (found === null || found === undefined) throw new Error(`libav has no ${name}`)
  return found
}

export function newFrame(): Frame {
  const frame = new Frame()
  frame.alloc()
  return frame
}

export function newPacket(): Packet {
  const packet = new Packet()
  packet.alloc()
  return packet
}
