import type { ByteReader } from '../formats/byte-reader.ts'
import type { Entry, Layout } from '../formats/tiff/directory.ts'
import { readDirectory, readLayout, valueAt } from '../formats/tiff/directory.ts'
import type { CopiedEntry, DirectoryEntry } from './directory.ts'
import { writeDirectory } from './directory.ts'
import type { Kept } from './kept.ts'

/** The entries to keep: from the main directory (`image`), and from the Exif directory (`capture`). */
type Exif = { image: DirectoryEntry[]; capture: DirectoryEntry[] }

const EXIF_DIRECTORY = 34_665

const ARTIST = 315
const COPYRIGHT = 33_432

const SINGLE_IMAGE_TAGS = [269, 270, 271, 272, 305, 306, ARTIST, 316, 18_246, 18_249, COPYRIGHT]

/** The tags to keep in the main directory (EXIF 3.0, table 4, and Windows). Excludes tags about pixels and location. */
const IMAGE_TAGS = new Set([...SINGLE_IMAGE_TAGS, ...range(40_091, 40_095)])

const SINGLE_CAPTURE_TAGS = [
  33_434, 33_437, 34_850, 34_852, 34_855, 34_856, 36_864, 36_867, 36_868, 37_396, 37_510, 40_960, 40_964, 41_483,
  41_484, 41_486, 41_487, 41_488, 41_492, 41_493, 41_495, 42_016, 42_080, 42_081, 42_082, 42_240,
]

/** The tags to keep in the Exif directory (tables 7 and 8). Excludes MakerNote, which can contain a location. */
const CAPTURE_TAGS = new Set([
  ...SINGLE_CAPTURE_TAGS,
  ...range(34_864, 34_869),
  ...range(36_880, 36_882),
  ...range(37_377, 37_386),
  ...range(37_520, 37_522),
  ...range(37_888, 37_893),
  ...range(41_728, 41_730),
  ...range(41_985, 41_996),
  ...range(42_032, 42_042),
])

const KEPT_TAGS: Record<Kept, { image: ReadonlySet<number>; capture: ReadonlySet<number> }> = {
  copyright: { image: new Set([ARTIST, COPYRIGHT]), capture: new Set() },
  all_but_location: { image: IMAGE_TAGS, capture: CAPTURE_TAGS },
}

/** The maximum bytes of one value, and of all values. A JPEG segment can store 64 KiB. */
const MAX_VALUE_BYTES = 16 * 1024
const MAX_BYTES = 60_000

export function readExif(source: ByteReader, kept: Kept): Exif | undefined {
  const layout = readLayout(source)
  if (layout === undefined) return undefined
  const { image, capture } = KEPT_TAGS[kept]
  const budget = { bytes: MAX_BYTES }
  const first = readDirectory(source, layout, layout.first)
  const pointer = first.values.get(EXIF_DIRECTORY)
  const own = readEntries(source, layout, { entries: first.entries, tags: image, budget })
  const taken =
    pointer === undefined || capture.size === 0
      ? []
      : readEntries(source, layout, { entries: readDirectory(source, layout, pointer).entries, tags: capture, budget })
  return own.length + taken.length === 0 ? undefined : { image: own, capture: taken }
}

export function writeExif({ image, capture }: Exif): Buffer {
  const head = Buffer.from('II*\0\x08\0\0\0', 'latin1')
  return Buffer.concat([head, writeExifDirectories(image, capture, head.length)])
}

export function writeExifDirectories(
  image: readonly (DirectoryEntry | CopiedEntry)[],
  capture: readonly DirectoryEntry[],
  at: number,
): Buffer {
  if (capture.length === 0) return writeDirectory(image, at)
  const pointing = (to: number) => {
    const data = Buffer.alloc(4)
    data.writeUInt32LE(to)
    return [...image, { tag: EXIF_DIRECTORY, type: 4, count: 1, data }]
  }
  const second = at + writeDirectory(pointing(0), at).length
  return Buffer.concat([writeDirectory(pointing(second), at), writeDirectory(capture, second)])
}

type Selection = { entries: Map<number, Entry>; tags: ReadonlySet<number>; budget: { bytes: number } }

function readEntries(source: ByteReader, layout: Layout, { entries, tags, budget }: Selection): DirectoryEntry[] {
  const read: DirectoryEntry[] = []
  for (const [tag, { type, count, field }] of entries) {
    const kind = TYPES[type]
    if (!tags.has(tag) || kind === undefined) continue
    const length = kind.bytes * count
    if (length === 0 || length > MAX_VALUE_BYTES || length > budget.bytes) continue
    const data = valueAt(source, layout, field, length)
    if (data.length < length) continue
    budget.bytes -= length
    read.push({ tag, type, count, data: layout.littleEndian ? data : swapped(data, kind.unit) })
  }
  return read
}

/** The bytes of a value by type, and of each number in the value. A fraction (types 5 and 10) has two numbers. */
const TYPES: Record<number, { bytes: number; unit: 1 | 2 | 4 | 8 }> = {
  1: { bytes: 1, unit: 1 },
  2: { bytes: 1, unit: 1 },
  3: { bytes: 2, unit: 2 },
  4: { bytes: 4, unit: 4 },
  5: { bytes: 8, unit: 4 },
  6: { bytes: 1, unit: 1 },
  7: { bytes: 1, unit: 1 },
  8: { bytes: 2, unit: 2 },
  9: { bytes: 4, unit: 4 },
  10: { bytes: 8, unit: 4 },
  11: { bytes: 4, unit: 4 },
  12: { bytes: 8, unit: 8 },
  // UTF-8, which is new in EXIF 3.0.
  129: { bytes: 1, unit: 1 },
}

function swapped(data: Buffer, unit: 1 | 2 | 4 | 8): Buffer {
  const copy = Buffer.from(data)
  if (unit === 2) return copy.swap16()
  if (unit === 4) return copy.swap32()
  return unit === 8 ? copy.swap64() : copy
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

export type EmbeddedMetadata = { exif?: Exif | undefined; iptc?: Buffer | undefined; xmp?: Buffer | undefined }
