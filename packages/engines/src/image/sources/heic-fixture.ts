/**
 * HEVC images of 64 × 64 pixels, encoded by x265 (4:4:4, quality 50), without a container. `eight` and `ten` (bits)
 * have four squares: red, green, blue, yellow. `mono` is white on the left and dark gray on the right.
 */
const CODED = {
  eight: {
    configuration:
      'AQQIAAAAAAAAAAAAHvAA/P/4+AAADwMgAAEAF0ABDAH//wQIAAADAJ44AAADAAAeugJAIQABACpCAQEECAAAAwCeOAAAAwAAHpAEECCy3UklNc3AgIGBAAADAAEAAAMAAQgiAAEACEQBwXKGDAIk',
    data: 'AAAANygBrxOA5qhw0//9F1H/8V2eH5Fe0Sq3rAbo0R3/6+/rT/85nUfifiv/NSH/rH6D1r/edYp8bOc=',
  },
  ten: {
    configuration:
      'AQQIAAAAAAAAAAAAHvAA/P/6+gAADwMgAAEAF0ABDAH//wQIAAADAJw4AAADAAAeugJAIQABACtCAQEECAAAAwCcOAAAAwAAHpAEECCbLdSSU1zcCAgYEAAAAwAQAAADABCAIgABAAhEAcFyhgwCJA==',
    data: 'AAAAOCgBrxOA5TPhv//x3KP/7kXPD9jO7KVviJNRxlP/5oRhJ/+6pKj93Nx/8S1BS6/aW9f/Rw1f+kf/',
  },
  mono: {
    configuration:
      'AQQIAAAAAAAAAAAAHvAA/Pz4+AAADwMgAAEAF0ABDAH//wQIAAADAJ/4AAADAAAeugJAIQABACZCAQEECAAAAwCf+AAAAwAAHsCCBBZbqSSmubAgAAADACAAAAMAISIAAQAHRAHBcrAiQA==',
    data: 'AAAAFygBrifD9Cn1D90y7V//1wSNEv//CE/w',
  },
} as const

export const SQUARES = {
  red: [220, 40, 30],
  green: [30, 170, 60],
  blue: [40, 60, 210],
  yellow: [240, 210, 40],
} as const

type FixtureItem = { type: string; data: Buffer; properties: Buffer[]; hidden?: boolean }

type Fixture = {
  items: FixtureItem[]
  /** The id of the primary item. Ids start at 1. */
  primary?: number
  references?: { type: string; from: number; to: number[] }[]
  brands?: string
}

const u16 = (value: number) => Buffer.from([value >> 8, value & 255])
const u32 = (value: number) => Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255])

export function box(type: string, ...body: Buffer[]): Buffer {
  const content = Buffer.concat(body)
  return Buffer.concat([u32(content.length + 8), Buffer.from(type, 'latin1'), content])
}

const fullBox = (type: string, version: number, flags: number, ...body: Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, flags]), ...body)

export const ispe = (width: number, height: number) => fullBox('ispe', 0, 0, u32(width), u32(height))
/** Encodes a rotation. `quarters` is the number of counterclockwise quarter turns. */
export const irot = (quarters: number) => box('irot', Buffer.from([quarters]))
/** Encodes a flip. `axis` 0 flips vertically, and 1 horizontally. */
export const imir = (axis: number) => box('imir', Buffer.from([axis]))
export const iccColors = (profile: Buffer) => box('colr', Buffer.from('prof'), profile)
export const codedColors = (primaries: number, transfer: number) =>
  box('colr', Buffer.from('nclx'), u16(primaries), u16(transfer), u16(6), Buffer.from([0x80]))
export const alphaPlane = fullBox('auxC', 0, 0, Buffer.from('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0'))
export const clap = (width: number, height: number) => box('clap', ...[width, 1, height, 1, 0, 1, 0, 1].map(u32))

export function coded(kind: keyof typeof CODED, ...more: Buffer[]): FixtureItem {
  const { configuration, data } = CODED[kind]
  const properties = [box('hvcC', Buffer.from(configuration, 'base64')), ispe(64, 64), ...more]
  return { type: 'hvc1', data: Buffer.from(data, 'base64'), properties }
}

/** Returns an item that consists of tiles. The `dimg` reference of the item lists the tiles. */
export function grid(columns: number, rows: number, width: number, height: number, ...more: Buffer[]): FixtureItem {
  const data = Buffer.concat([Buffer.from([0, 0, rows - 1, columns - 1]), u16(width), u16(height)])
  return { type: 'grid', data, properties: [ispe(width, height), ...more] }
}

export function codedAv1(avif: Buffer, width: number, height: number, ...more: Buffer[]): FixtureItem {
  const at = avif.indexOf('av1C') - 4
  const configuration = avif.subarray(at, at + avif.readUInt32BE(at))
  const data = avif.subarray(avif.indexOf('mdat') + 4)
  return { type: 'av01', data, properties: [configuration, ispe(width, height), ...more] }
}

/** Encodes a HEIC file. Shares no code with the reader, so that a test compares two implementations. */
export function heic({ items, primary = 1, references = [], brands = 'heicmif1' }: Fixture): Buffer {
  const properties = items.flatMap((item) => item.properties)
  const head = (dataStart: number) => {
    let offset = dataStart
    const places = items.map((item, index) => {
      const place = Buffer.concat([u16(index + 1), u16(0), u16(1), u32(offset), u32(item.data.length)])
      offset += item.data.length
      return place
    })
    const infe = items.map(({ type, hidden }, index) =>
      fullBox('infe', 2, hidden === true ? 1 : 0, u16(index + 1), u16(0), Buffer.from(`${type}\0`)),
    )
    let property = 0
    const associations = items.map((item, index) => {
      const indexes = item.properties.map(() => (property += 1))
      return Buffer.concat([u16(index + 1), Buffer.from([indexes.length, ...indexes])])
    })
    return Buffer.concat([
      box('ftyp', Buffer.from(`${brands.slice(0, 4)}\0\0\0\0${brands}`)),
      fullBox(
        'meta',
        0,
        0,
        fullBox('hdlr', 0, 0, u32(0), Buffer.from('pict'), Buffer.alloc(13)),
        fullBox('pitm', 0, 0, u16(primary)),
        fullBox('iinf', 0, 0, u16(items.length), ...infe),
        fullBox(
          'iref',
          0,
          0,
          ...references.map(({ type, from, to }) => box(type, u16(from), u16(to.length), ...to.map(u16))),
        ),
        box('iprp', box('ipco', ...properties), fullBox('ipma', 0, 0, u32(items.length), ...associations)),
        fullBox('iloc', 0, 0, Buffer.from([0x44, 0]), u16(items.length), ...places),
      ),
    ])
  }
  return Buffer.concat([head(head(0).length + 8), box('mdat', ...items.map((item) => item.data))])
}
