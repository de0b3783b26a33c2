import type { CopiedEntry, DirectoryEntry } from './directory.ts'
import type { EmbeddedMetadata } from './embedded-metadata.ts'
import { writeExifDirectories } from './exif.ts'

const XMP = 700
const IPTC = 33_723
const BYTE = 1
const LONG = 4

/** Appends a copy of the first directory with the metadata added, and makes it the first directory. */
export function embedInTiff(file: Buffer, { exif, iptc, xmp }: EmbeddedMetadata): Buffer {
  if (file.toString('latin1', 0, 4) !== 'II*\0')
    throw new Error('the TIFF does not have the layout that libvips writes')
  const added: DirectoryEntry[] = [...(exif?.image ?? [])]
  if (xmp !== undefined) added.push({ tag: XMP, type: BYTE, count: xmp.length, data: xmp })
  if (iptc !== undefined) {
    const data = Buffer.concat([iptc, Buffer.alloc(-iptc.length & 3)])
    added.push({ tag: IPTC, type: LONG, count: data.length / 4, data })
  }
  const replaced = new Set(added.map(({ tag }) => tag))
  const own = entriesOf(file, file.readUInt32LE(4)).filter(({ tag }) => !replaced.has(tag))
  const head = Buffer.concat([file, Buffer.alloc(file.length % 2)])
  const directories = writeExifDirectories([...own, ...added], exif?.capture ?? [], head.length)
  head.writeUInt32LE(head.length, 4)
  return Buffer.concat([head, directories])
}

function entriesOf(file: Buffer, at: number): CopiedEntry[] {
  return Array.from({ length: file.readUInt16LE(at) }, (_, index) => {
    const start = at + 2 + index * 12
    return { tag: file.readUInt16LE(start), copy: file.subarray(start, start + 12) }
  })
}
