export type Xyz = readonly [x: number, y: number, z: number]

/** The red, green, and blue primaries of a color space in XYZ, adapted to the white point D50. */
export type Colorants = readonly [red: Xyz, green: Xyz, blue: Xyz]

export const SRGB_COLORANTS: Colorants = [
  [0.43607, 0.22249, 0.01392],
  [0.38515, 0.71687, 0.09708],
  [0.14307, 0.06061, 0.7141],
]

/** Primaries by ITU-T H.273 code: 1 BT.709 (sRGB), 9 BT.2020, 12 Display P3. Adapted to D50 with Bradford's method. */
const COLORANTS: Record<number, Colorants> = {
  1: SRGB_COLORANTS,
  9: [
    [0.67348, 0.27904, -0.00193],
    [0.16566, 0.67534, 0.02998],
    [0.12505, 0.04561, 0.79686],
  ],
  12: [
    [0.51512, 0.2412, -0.00105],
    [0.29198, 0.69225, 0.04189],
    [0.1571, 0.06657, 0.78407],
  ],
}

const BT709 = 1
const PQ = 16
const HLG = 18

/** Returns a profile for ITU-T H.273 color codes, or `undefined` for sRGB and rare primaries. */
export function codedProfile(primaries: number, transfer: number): Buffer | undefined {
  const colorants = COLORANTS[primaries]
  const isStandardRange = transfer !== PQ && transfer !== HLG
  if (colorants === undefined || (primaries === BT709 && isStandardRange)) return undefined
  return colorProfile(colorants, transfer === PQ ? fromPq : transfer === HLG ? fromHlg : fromSrgb)
}

export function colorProfile(colorants: Colorants, toLinear: (value: number) => number): Buffer {
  const curve = curveTag(toLinear)
  const [red, green, blue] = colorants
  return profile([
    ['desc', descriptionTag('Mediamill')],
    ['cprt', Buffer.from('text\0\0\0\0CC0\0', 'latin1')],
    ['wtpt', xyzTag(D50)],
    ['rXYZ', xyzTag(red)],
    ['gXYZ', xyzTag(green)],
    ['bXYZ', xyzTag(blue)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ])
}

const D50: Xyz = [0.9642, 1, 0.82491]

const fromSrgb = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

/** Converts a PQ value (SMPTE ST 2084) to linear light. */
function fromPq(value: number): number {
  const power = value ** (1 / 78.84375)
  const light = (Math.max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125)
  return rollOff((light * 10_000) / 203)
}

/** Converts an HLG value (ARIB STD-B67) to linear light for a display with 1,000 cd/m². */
function fromHlg(value: number): number {
  const scene = value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
  return rollOff((scene ** 1.2 * 1000) / 203)
}

/** Compresses light above 0.75 of the reference white (203 cd/m², BT.2408), so that it approaches white. */
function rollOff(light: number): number {
  return light <= 0.75 ? light : 0.75 + 0.25 * (1 - Math.exp((0.75 - light) / 0.25))
}

function curveTag(toLinear: (value: number) => number): Buffer {
  // This number is a multiple of 255 plus 1, so that each 8-bit value has its own entry in the table.
  const entries = 4081
  const tag = Buffer.alloc(12 + entries * 2)
  tag.write('curv', 'latin1')
  tag.writeUInt32BE(entries, 8)
  for (let entry = 0; entry < entries; entry += 1) {
    tag.writeUInt16BE(Math.round(Math.min(1, toLinear(entry / (entries - 1))) * 65_535), 12 + entry * 2)
  }
  return tag
}

function xyzTag(xyz: Xyz): Buffer {
  const tag = Buffer.alloc(20)
  tag.write('XYZ ', 'latin1')
  for (const [index, value] of xyz.entries()) writeFixed(tag, value, 8 + index * 4)
  return tag
}

const writeFixed = (tag: Buffer, value: number, at: number) => tag.writeInt32BE(Math.round(value * 65_536), at)

function descriptionTag(text: string): Buffer {
  const tag = Buffer.alloc(12 + text.length + 1 + 78)
  tag.write('desc', 'latin1')
  tag.writeUInt32BE(text.length + 1, 8)
  tag.write(text, 12, 'latin1')
  return tag
}

function profile(tags: readonly (readonly [signature: string, data: Buffer])[]): Buffer {
  const head = Buffer.alloc(128 + 4 + tags.length * 12)
  const body: Buffer[] = []
  const places = new Map<Buffer, number>()
  let end = head.length
  for (const [index, [signature, data]] of tags.entries()) {
    const start = places.get(data) ?? end
    if (!places.has(data)) {
      const padded = Buffer.concat([data, Buffer.alloc(-data.length & 3)])
      body.push(padded)
      places.set(data, start)
      end += padded.length
    }
    const at = 132 + index * 12
    head.write(signature, at, 'latin1')
    head.writeUInt32BE(start, at + 4)
    head.writeUInt32BE(data.length, at + 8)
  }
  head.writeUInt32BE(end, 0)
  head.writeUInt32BE(0x02400000, 8)
  head.write('mntrRGB XYZ ', 12, 'latin1')
  head.write('acsp', 36, 'latin1')
  for (const [index, value] of D50.entries()) writeFixed(head, value, 68 + index * 4)
  head.writeUInt32BE(tags.length, 128)
  return Buffer.concat([head, ...body])
}
