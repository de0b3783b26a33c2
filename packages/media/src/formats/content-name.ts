import { isUtf8 } from 'node:buffer'

/** Returns a name for unsupported content, such as `a web page`, or `undefined`. `head` is the start of the file. */
export function contentName(head: Buffer): string | undefined {
  if (head.length === 0) return 'empty'
  const beginning = head.toString('latin1', 0, 16)
  const binary = SIGNATURES.find(([, offset, ...texts]) =>
    texts.some((text) => beginning.startsWith(text, offset)),
  )?.[0]
  if (binary === 'a ZIP archive') return zipName(head)
  return binary ?? (isText(head) ? textName(head.toString('utf8', 0, 4096)) : undefined)
}

const SIGNATURES: readonly (readonly [name: string, offset: number, ...texts: string[]])[] = [
  ['a ZIP archive', 0, 'PK\x03\x04'],
  ['a gzip archive', 0, '\x1f\x8b'],
  ['a RAR archive', 0, 'Rar!\x1a\x07'],
  ['a 7-Zip archive', 0, '7z\xbc\xaf\x27\x1c'],
  ['an old Office document', 0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['a PostScript file', 0, '%!PS'],
  ['an RTF document', 0, '{\\rtf'],
  ['a Photoshop file', 0, '8BPS'],
  ['an icon', 0, '\0\0\x01\0\x01\0'],
  ['a JPEG XL image', 0, '\xff\x0a', '\0\0\0\x0cJXL '],
  ['a JPEG 2000 image', 0, '\0\0\0\x0cjP  ', '\xff\x4f\xff\x51'],
  ['a raw photograph', 0, 'FUJIFILM'],
  ['a raw photograph', 4, 'ftypcrx '],
  ['an MP3 audio file', 0, 'ID3', '\xff\xfa', '\xff\xfb', '\xff\xf2', '\xff\xf3'],
  ['a WAV audio file', 8, 'WAVEfmt '],
  ['a FLAC audio file', 0, 'fLaC'],
  ['an Ogg file', 0, 'OggS'],
  ['a Windows Media file', 0, '\x30\x26\xb2\x75\x8e\x66\xcf\x11'],
  ['a program', 0, 'MZ\x90\0', '\x7fELF'],
]

function zipName(head: Buffer): string {
  const beginning = head.toString('latin1')
  const members: readonly (readonly [string, string])[] = [
    ['word/', 'a Word document'],
    ['xl/', 'an Excel workbook'],
    ['ppt/', 'a PowerPoint presentation'],
    ['mimetypeapplication/vnd.oasis.opendocument', 'an OpenDocument file'],
    ['mimetypeapplication/epub', 'an EPUB book'],
  ]
  return members.find(([name]) => beginning.includes(name))?.[1] ?? 'a ZIP archive'
}

/** Returns whether the bytes are a UTF-8 text. The bytes may end inside a character. */
const isText = (head: Buffer) =>
  !head.some((byte) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d)) && (isUtf8(head) || isUtf8(withoutEnd(head)))

function withoutEnd(head: Buffer): Buffer {
  const cut = [1, 2, 3].find((count) => (head[head.length - count] ?? 0) >= 0xc0)
  return cut === undefined ? head : head.subarray(0, head.length - cut)
}

function textName(text: string): string {
  const beginning = text.replace(/^\uFEFF/, '').replace(/^(?:\s+|<!--[^]*?-->|<\?[^]*?\?>)*/, '')
  if (/^(?:<!doctype html|<(?:html|head|body|meta|title|script|div|p)\b)/i.test(beginning)) return 'a web page'
  if (/^(?:<!doctype svg|<(?:\w+:)?svg\b)/i.test(beginning)) return 'an SVG drawing'
  if (/^<[a-z!]/i.test(beginning)) return 'an XML document'
  if (beginning.startsWith('#EXTM3U')) return 'a playlist'
  if (/^(?:\{\s*["}]|\[\s*["{[\]\d])/.test(beginning)) return 'a JSON text'
  return 'plain text'
}
