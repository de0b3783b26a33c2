import type { MediaType } from '@mediamill/contract/domain/media'
import type { Random } from '../support/random.ts'
import { u16be, u16le, u32be, u32le } from './bytes.ts'

export type Seed = { name: string; media: MediaType; bytes: Buffer }

const EXTREMES = [0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff] as const

const INJURIES = ['bits', 'bytes', 'number', 'cut', 'remove', 'repeat', 'move', 'noise'] as const

/** Changes a file in up to four random ways. Most changes are near the start, where the structure is. */
export function mutate(file: Buffer, random: Random): Buffer {
  let mutant: Buffer = Buffer.from(file)
  for (let count = random.integer(1, 4); count > 0 && mutant.length > 0; count -= 1) mutant = injure(mutant, random)
  return mutant
}

function injure(file: Buffer, random: Random): Buffer {
  const near = random.chance(0.6) ? Math.min(512, file.length) : file.length
  const at = random.below(near)
  const length = random.integer(1, Math.min(64, file.length - at))
  const [before, part, after] = [file.subarray(0, at), file.subarray(at, at + length), file.subarray(at + length)]
  switch (random.pick(INJURIES)) {
    case 'bits':
      return Buffer.concat([
        before,
        Buffer.from([(file[at] ?? 0) ^ (1 << random.integer(0, 7))]),
        file.subarray(at + 1),
      ])
    case 'bytes':
      return Buffer.concat([before, Buffer.alloc(length, random.pick([0, 0xff, 0x20])), after])
    case 'number': {
      const number = extreme(random)
      return Buffer.concat([before, number, file.subarray(at + number.length)])
    }
    case 'cut':
      return Buffer.from(before)
    case 'remove':
      return Buffer.concat([before, after])
    case 'repeat':
      return Buffer.concat([before, ...Array.from({ length: random.integer(2, 200) }, () => part), after])
    case 'move': {
      const to = random.integer(0, after.length)
      return Buffer.concat([before, after.subarray(0, to), part, after.subarray(to)])
    }
    case 'noise':
      return Buffer.concat([before, Buffer.from(Array.from(part, () => random.integer(0, 255))), after])
  }
}

/** Returns a number such as 2³¹, at which arithmetic often overflows, in 16 or 32 bits and either byte order. */
function extreme(random: Random): Buffer {
  const value = random.pick(EXTREMES)
  const write = random.pick([u16be, u16le, u32be, u32le])
  return write(write === u16be || write === u16le ? value & 0xffff : value)
}
