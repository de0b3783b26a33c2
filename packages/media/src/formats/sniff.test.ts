import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { sniff } from './sniff.ts'

const latin = (text: string) => Buffer.from(text, 'latin1')

function box(type: string, ...content: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(content.map((part) => (typeof part === 'string' ? latin(part) : part)))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(body.length + 8)
  return Buffer.concat([size, latin(type), body])
}
const ftyp = (major: string, ...compatible: string[]) => box('ftyp', major, '\0\0\0\0', ...compatible)
const infe = (type: string) => box('infe', '\x02\0\0\0\0\x01\0\0', type, '\0')
const ebml = (docType: string) =>
  latin(
    `\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82${String.fromCharCode(0x80 + docType.length)}${docType}\x42\x87\x81\x04`,
  )

function packets(length: number, sync: number, count: number): Buffer {
  const stream = Buffer.alloc(length * count, 0xff)
  for (let index = 0; index < count; index += 1) stream[index * length + sync] = 0x47
  return stream
}
function bitmap(headerSize: number): Buffer {
  const head = Buffer.alloc(64)
  head.write('BM')
  head.writeUInt32LE(headerSize, 14)
  return head
}
const flash = latin('FLV\x01\x05\0\0\0\x09\0\0\0\0')
const riff = (form: string) => latin(`RIFF\x24\0\0\0${form}LIST`)

const KNOWN: readonly (readonly [format: string, name: string, head: Buffer])[] = [
  ['JPEG', 'JFIF', latin('\xff\xd8\xff\xe0\0\x10JFIF\0')],
  ['JPEG', 'Exif', latin('\xff\xd8\xff\xe1\0\x10Exif\0')],
  ['JPEG', 'with a PDF mark inside', latin('\xff\xd8\xff\xfe\0\x10%PDF-1.4')],
  ['PNG', 'signature', latin('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
  ['GIF', '87a', latin('GIF87a\x01\0')],
  ['GIF', '89a', latin('GIF89a\x01\0')],
  ['WEBP', 'VP8X', riff('WEBP')],
  ['TIFF', 'little-endian', latin('II*\0\x08\0\0\0')],
  ['TIFF', 'big-endian', latin('MM\0*\0\0\0\x08')],
  ['TIFF', 'BigTIFF little-endian', latin('II+\0\x08\0\0\0')],
  ['TIFF', 'BigTIFF big-endian', latin('MM\0+\0\x08\0\0')],
  ...[12, 16, 40, 52, 56, 64, 108, 124].map((size) => ['BMP', `header of ${size}`, bitmap(size)] as const),
  ['HEIC', 'major heic', ftyp('heic', 'mif1', 'heic')],
  ['HEIC', 'major heix', ftyp('heix', 'mif1')],
  ['HEIC', 'a sequence', ftyp('hevc', 'msf1', 'iso8')],
  ['HEIC', 'general, then heic', ftyp('mif1', 'mif1', 'heic')],
  [
    'HEIC',
    'general only, by its items',
    Buffer.concat([ftyp('mif1', 'mif1', 'miaf'), box('meta', '\0\0\0\0', infe('hvc1'), infe('Exif'))]),
  ],
  ['AVIF', 'major avif', ftyp('avif', 'avif', 'mif1', 'miaf', 'MA1B')],
  ['AVIF', 'a sequence', ftyp('avis', 'avis', 'msf1', 'iso8')],
  ['AVIF', 'general, then avif', ftyp('mif1', 'mif1', 'avif', 'miaf')],
  ['AVIF', 'general only, by its items', Buffer.concat([ftyp('mif1', 'mif1'), box('meta', '\0\0\0\0', infe('av01'))])],
  ['MP4', 'isom', ftyp('isom', 'isom', 'iso2', 'avc1', 'mp41')],
  ['MP4', 'mp42', ftyp('mp42', 'mp42', 'isom')],
  ['MP4', 'M4V', ftyp('M4V ', 'M4V ', 'M4A ', 'mp42')],
  ['MP4', '3GP', ftyp('3gp5', '3gp5', 'isom')],
  ['MP4', 'DASH', ftyp('dash', 'iso6')],
  ['MP4', 'an unknown brand with a known one', ftyp('XXXX', 'YYYY', 'isom')],
  ['MOV', 'qt', ftyp('qt  ', 'qt  ')],
  ['MOV', 'moov first', box('moov', box('mvhd', '\0'.repeat(100)))],
  ['MOV', 'mdat first', latin('\0\0\x10\0mdat\0\0\0\0')],
  ['MOV', 'wide, then mdat', Buffer.concat([box('wide'), box('mdat', 'abcd')])],
  ['WEBM', 'doctype webm', ebml('webm')],
  ['MKV', 'doctype matroska', ebml('matroska')],
  ['AVI', 'RIFF AVI', riff('AVI ')],
  ['FLV', 'version 1', flash],
  ['MPEG', 'program stream', latin('\0\0\x01\xba\x44\0\x04\0\x04\x01')],
  ['MPEG', 'video stream', latin('\0\0\x01\xb3\x16\0\xf0\x15')],
  ['MPEGTS', '188', packets(188, 0, 6)],
  ['MPEGTS', '192 with time stamps', packets(192, 4, 6)],
  ['MPEGTS', '204 with checksums', packets(204, 0, 6)],
  ['MPEGTS', 'two packets', packets(188, 0, 2)],
  ['PDF', 'at the start', latin('%PDF-1.7\n')],
  ['PDF', 'after a preamble', Buffer.concat([Buffer.alloc(1019, ' '), latin('%PDF-1.4')])],
  ['PDF', 'without a mark', latin('1 0 obj\n<</Type/Catalog>>\nendobj\n')],
  ['PDF', 'with a comment and no mark', latin('%\xe2\xe3\xcf\xd3\n1 0 obj \n<<\n/Pages 2 0 R\n>>')],
  ['PDF', 'with a misspelt mark', latin('%PFD-1.4\r\n12 0 obj<</Length 3>>stream')],
  ['PDF', 'whose mark is zeros', latin('\0\0\0\0\0\0\0\0\x001 0 obj <<')],
  ['PDF', 'whose first object ends at 1,024 bytes', Buffer.concat([Buffer.alloc(1013, '\n'), latin('1 0 obj\n<< ')])],
]

const FOREIGN: readonly (readonly [name: string, head: Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['one byte', latin('\xff')],
  ['zeros', Buffer.alloc(65_536)],
  ['SVG', latin('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['SVG behind a declaration', latin('<?xml version="1.0"?>\n<svg/>')],
  ['HTML', latin('<!doctype html><title>404</title>')],
  ['an HLS playlist', latin('#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n')],
  ['a DASH manifest', latin('<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"/>')],
  ['a concat list', latin('ffconcat version 1.0\nfile other.mp4\n')],
  ['MVG', latin('push graphic-context\nviewbox 0 0 640 480\n')],
  ['MSL', latin('<image><read filename="/etc/passwd"/></image>')],
  ['PostScript', latin('%!PS-Adobe-3.0 EPSF-3.0\n')],
  ['a PDF mark past 1,024 bytes', Buffer.concat([Buffer.alloc(1020, ' '), latin('%PDF-1.4')])],
  ['a PDF object past 1,024 bytes', Buffer.concat([Buffer.alloc(1016, '\n'), latin('1 0 obj\n<<')])],
  ['words about an object of a PDF', latin('In a PDF, 1 0 obj << begins an object.')],
  ['an object that is not a dictionary', latin('1 0 obj\n(text)\nendobj\n')],
  ['a list that says obj', latin('1 object\n2 0 objects <<\n')],
  ['Photoshop', latin('8BPS\0\x01')],
  ['ICO', latin('\0\0\x01\0\x01\0\x10\x10')],
  ['JPEG 2000', latin('\0\0\0\x0cjP  \r\n\x87\n')],
  ['JPEG XL', latin('\0\0\0\x0cJXL \r\n\x87\n')],
  ['Canon CR3', ftyp('crx ', 'crx ')],
  ['an ftyp of unknown brands', ftyp('abcd', 'efgh')],
  ['an ftyp that claims 4 GB', latin('\xff\xff\xff\xffftypisom\0\0\0\0')],
  ['WAV', riff('WAVE')],
  ['EBML of another kind', ebml('other')],
  ['EBML without a kind', latin('\x1a\x45\xdf\xa3\x80')],
  ['MP3', latin('ID3\x04\0\0')],
  ['Ogg', latin('OggS\0\x02')],
  ['ZIP', latin('PK\x03\x04')],
  ['ELF', latin('\x7fELF\x02\x01')],
  ['a text that begins with BM', latin('BMW is a maker of cars, and this is about it.')],
  ['a text that begins with FLV', latin('FLV files are old')],
  ['a text with G at regular places', latin('G'.padEnd(188, '.').concat('G'.padEnd(187, '.')))],
  ['a GIF cut in its signature', latin('GIF8')],
  ['free as a word', latin('yes!free as in speech, not as in beer, they say.')],
]

test('format detection finds every source format by its first bytes [sources.formats.1]', () => {
  for (const [format, name, head] of KNOWN) assert.equal(sniff(head), format, `${format}: ${name}`)
  const formats = new Set(KNOWN.map(([format]) => format))
  assert.equal(formats.size, 17)
})

test('format detection rejects text, playlists, scripts, and unsupported formats under any name [sources.formats.1, sources.formats.2]', () => {
  for (const [name, head] of FOREIGN) assert.equal(sniff(head), undefined, name)
})

test('format detection never throws, for any first bytes of a file', () => {
  for (const [, , head] of KNOWN) {
    for (let length = 0; length <= Math.min(head.length, 64); length += 1) sniff(head.subarray(0, length))
  }
})

test('format detection recognizes images from real encoders', async () => {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: '#336699' } })
  for (const [format, name] of [
    ['jpeg', 'JPEG'],
    ['png', 'PNG'],
    ['gif', 'GIF'],
    ['webp', 'WEBP'],
    ['tiff', 'TIFF'],
    ['avif', 'AVIF'],
  ] as const) {
    assert.equal(sniff(await image.clone().toFormat(format).toBuffer()), name)
  }
})
