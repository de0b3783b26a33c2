import { readItems } from '../formats/heif/heif-items.ts'
import { boxes, findBox } from '../formats/heif/iso-bmff.ts'
import type { EmbeddedMetadata } from './exif.ts'
import { writeExif } from './exif.ts'

type Item = { id: number; type: string; name: string; data: Buffer }

/** Appends metadata as items (ISO 23008-12, annex A), and moves the offsets of other items. AVIF has no IPTC item. */
export function embedInAvif(file: Buffer, { exif, xmp }: EmbeddedMetadata): Buffer {
  const metaAt = file.readUInt32BE(0)
  const meta = file.subarray(metaAt + HEAD_BYTES, metaAt + file.readUInt32BE(metaAt))
  if (file.toString('latin1', metaAt + 4, metaAt + 8) !== 'meta') throw unexpected('meta')
  const { primary, items } = readItems(meta.subarray(FULL_BYTES))
  const free = Math.max(...items.keys()) + 1
  const added: Item[] = []
  // EXIF data in an item starts with the four-byte offset of the EXIF header, here 0.
  if (exif) added.push({ id: free, type: 'Exif', name: '', data: Buffer.concat([Buffer.alloc(4), writeExif(exif)]) })
  if (xmp) added.push({ id: free + added.length, type: 'mime', name: 'application/rdf+xml', data: xmp })
  if (added.length === 0) return file
  const growth = metaWith(meta, { added, primary, growth: 0, dataAt: 0 }).length - HEAD_BYTES - meta.length
  const dataAt = file.length + growth + HEAD_BYTES
  return Buffer.concat([
    file.subarray(0, metaAt),
    metaWith(meta, { added, primary, growth, dataAt }),
    file.subarray(metaAt + HEAD_BYTES + meta.length),
    box('mdat', ...added.map(({ data }) => data)),
  ])
}

type Addition = { added: Item[]; primary: number; growth: number; dataAt: number }

/** Returns `meta` with the added items. The size of the result does not depend on `growth` and `dataAt`. */
function metaWith(meta: Buffer, addition: Addition): Buffer {
  const children = meta.subarray(FULL_BYTES)
  const changed = Array.from(boxes(children), ({ type, body }) => box(type, CHANGES[type]?.(body, addition) ?? body))
  if (findBox(children, 'iref') === undefined) changed.push(box('iref', references(Buffer.alloc(FULL_BYTES), addition)))
  return box('meta', meta.subarray(0, FULL_BYTES), ...changed)
}

function locations(body: Buffer, { added, growth, dataAt }: Addition): Buffer {
  const isKnown = body.readUInt32BE(0) === 0 && body.readUInt16BE(4) === 0x44_40
  if (!isKnown) throw unexpected('iloc')
  const moved = Buffer.from(body)
  moved.writeUInt16BE(body.readUInt16BE(6) + added.length, 6)
  let at = 8
  for (let item = body.readUInt16BE(6); item > 0; item -= 1) {
    const base = body.readUInt32BE(at + 4)
    const extents = body.readUInt16BE(at + 8)
    // Extents are relative to the base offset, so only the base offset changes.
    if (base !== 0) moved.writeUInt32BE(base + growth, at + 4)
    for (let extent = 0; extent < extents && base === 0; extent += 1) {
      const place = at + 10 + extent * 8
      moved.writeUInt32BE(body.readUInt32BE(place) + growth, place)
    }
    at += 10 + extents * 8
  }
  let dataFrom = dataAt
  const entries = added.map(({ id, data }) => {
    const entry = Buffer.alloc(18)
    entry.writeUInt16BE(id, 0)
    entry.writeUInt16BE(1, 8)
    entry.writeUInt32BE(dataFrom, 10)
    entry.writeUInt32BE(data.length, 14)
    dataFrom += data.length
    return entry
  })
  return Buffer.concat([moved, ...entries])
}

function types(body: Buffer, { added }: Addition): Buffer {
  if (body[0] !== 0) throw unexpected('iinf')
  const counted = Buffer.from(body)
  counted.writeUInt16BE(body.readUInt16BE(4) + added.length, 4)
  const entries = added.map(({ id, type, name }) => {
    const fields = Buffer.alloc(12)
    fields.writeUInt8(2, 0)
    fields.writeUInt16BE(id, 4)
    fields.write(type, 8, 'latin1')
    // The item name is empty. In a `mime` item, the content type follows, here in `name`.
    return box('infe', fields, Buffer.from(type === 'mime' ? `\0${name}\0` : '\0', 'latin1'))
  })
  return Buffer.concat([counted, ...entries])
}

function references(body: Buffer, { added, primary }: Addition): Buffer {
  if (body[0] !== 0) throw unexpected('iref')
  const entries = added.map(({ id }) => {
    const fields = Buffer.alloc(6)
    fields.writeUInt16BE(id, 0)
    fields.writeUInt16BE(1, 2)
    fields.writeUInt16BE(primary, 4)
    return box('cdsc', fields)
  })
  return Buffer.concat([body, ...entries])
}

const CHANGES: Record<string, (body: Buffer, addition: Addition) => Buffer> = {
  iloc: locations,
  iinf: types,
  iref: references,
}

const HEAD_BYTES = 8
const FULL_BYTES = 4

function box(type: string, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(HEAD_BYTES + parts.reduce((sum, part) => sum + part.length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...parts])
}

const unexpected = (name: string) =>
  new Error(`the ${name} box of the AVIF does not have the layout that libheif writes`)
