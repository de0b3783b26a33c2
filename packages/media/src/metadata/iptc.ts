import type { Kept } from './kept.ts'

const CHARACTER_SET = '1:90'
/** The datasets about rights: creator, job title, credit, source, and copyright (IPTC IIM 4.2). */
const COPYRIGHT = new Set([CHARACTER_SET, '2:80', '2:85', '2:110', '2:115', '2:116'])
/** Datasets that are never kept: places and previews. */
const LEFT_OUT = new Set(['2:26', '2:27', '2:90', '2:92', '2:95', '2:100', '2:101', '2:200', '2:201', '2:202'])

const KEEPS: Record<Kept, (dataset: string) => boolean> = {
  copyright: (dataset) => COPYRIGHT.has(dataset),
  all_but_location: (dataset) => (dataset === CHARACTER_SET || dataset.startsWith('2:')) && !LEFT_OUT.has(dataset),
}

// The maximum size of IPTC data. Editors write less. The limit also keeps the number of dataset buffers small.
const MAX_BYTES = 512 * 1024

export function readIptc(bytes: Buffer, kept: Kept): Buffer | undefined {
  if (bytes.length > MAX_BYTES) return undefined
  const iim = bytes.toString('latin1', 0, PHOTOSHOP.length) === PHOTOSHOP ? iptcResource(bytes) : bytes
  const datasets = [...datasetsOf(iim)].filter(({ name }) => KEEPS[kept](name))
  if (!datasets.some(({ name }) => name !== CHARACTER_SET)) return undefined
  return Buffer.concat(datasets.map(({ bytes: dataset }) => dataset))
}

const PHOTOSHOP = 'Photoshop 3.0\0'
const IPTC_RESOURCE = 0x04_04

export function writePhotoshop(iim: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.write('8BIM', 'latin1')
  head.writeUInt16BE(IPTC_RESOURCE, 4)
  head.writeUInt32BE(iim.length, 8)
  return Buffer.concat([Buffer.from(PHOTOSHOP, 'latin1'), head, iim, Buffer.alloc(iim.length % 2)])
}

function iptcResource(bytes: Buffer): Buffer {
  let at = PHOTOSHOP.length
  while (bytes.toString('latin1', at, at + 4) === '8BIM' && at + 12 <= bytes.length) {
    const id = bytes.readUInt16BE(at + 4)
    const nameBytes = 1 + (bytes[at + 6] ?? 0)
    const start = at + 6 + nameBytes + (nameBytes % 2) + 4
    if (start > bytes.length) break
    const length = bytes.readUInt32BE(start - 4)
    if (id === IPTC_RESOURCE) return bytes.subarray(start, start + length)
    at = start + length + (length % 2)
  }
  return Buffer.alloc(0)
}

/** Yields the complete datasets. Stops at a dataset of more than 32 kB, because its length has another format. */
function* datasetsOf(iim: Buffer): Generator<{ name: string; bytes: Buffer }> {
  let at = 0
  while (at + 5 <= iim.length && iim[at] === 0x1c) {
    const length = iim.readUInt16BE(at + 3)
    const end = at + 5 + length
    if (length > 0x7f_ff || end > iim.length) return
    yield { name: `${iim[at + 1]}:${iim[at + 2]}`, bytes: iim.subarray(at, end) }
    at = end
  }
}
