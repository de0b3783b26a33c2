import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentName } from './content-name.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test('the error message identifies an unsupported file by its first bytes [sources.formats.2]', () => {
  const files: [Buffer | string, string | undefined][] = [
    ['', 'empty'],
    ['<!DOCTYPE html><html>', 'a web page'],
    ['\uFEFF\n<!-- made by a tool -->\n<html lang="en">', 'a web page'],
    ['<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC>', 'a web page'],
    ['<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', 'an SVG drawing'],
    ['<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', 'an XML document'],
    ['{"error": "not found"}', 'a JSON text'],
    ['[1, 2]', 'a JSON text'],
    ['#EXTM3U\n#EXT-X-VERSION:3', 'a playlist'],
    ['Hello, world. ÄÖÜ', 'plain text'],
    [Buffer.from('Grüße').subarray(0, 3), 'plain text'],
    [latin1('PK\x03\x04\x14\0[Content_Types].xml…word/document.xml'), 'a Word document'],
    [latin1('PK\x03\x04\x14\0mimetypeapplication/epub+zip'), 'an EPUB book'],
    [latin1('PK\x03\x04\x14\0photos/1.jpg'), 'a ZIP archive'],
    [latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), 'an old Office document'],
    [latin1('ID3\x04\0'), 'an MP3 audio file'],
    [latin1('RIFF\x24\0\0\0WAVEfmt '), 'a WAV audio file'],
    [latin1('8BPS\0\x01'), 'a Photoshop file'],
    [latin1('\xff\x0a\xfa\x41'), 'a JPEG XL image'],
    ['%!PS-Adobe-3.0', 'a PostScript file'],
    ['{\\rtf1\\ansi', 'an RTF document'],
    [latin1('\0\0\0\x18ftypcrx '), 'a raw photograph'],
    [latin1('\x1f\x8b\x08'), 'a gzip archive'],
    [latin1('Rar!\x1a\x07\x01'), 'a RAR archive'],
    [latin1('7z\xbc\xaf\x27\x1c'), 'a 7-Zip archive'],
    [latin1('\0\0\x01\0\x01\0\x20\x20'), 'an icon'],
    [latin1('\0\0\0\x0cJXL \r\n'), 'a JPEG XL image'],
    [latin1('\0\0\0\x0cjP  \r\n'), 'a JPEG 2000 image'],
    [latin1('\xff\x4f\xff\x51\0'), 'a JPEG 2000 image'],
    ['FUJIFILMCCD-RAW', 'a raw photograph'],
    [latin1('\xff\xfb\x90'), 'an MP3 audio file'],
    [latin1('fLaC\0'), 'a FLAC audio file'],
    [latin1('OggS\0'), 'an Ogg file'],
    [latin1('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6'), 'a Windows Media file'],
    [latin1('MZ\x90\0\x03'), 'a program'],
    [latin1('\x7fELF\x02'), 'a program'],
    [latin1('PK\x03\x04\x14\0[Content_Types].xml…xl/workbook.xml'), 'an Excel workbook'],
    [latin1('PK\x03\x04\x14\0[Content_Types].xml…ppt/presentation.xml'), 'a PowerPoint presentation'],
    [latin1('PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.text'), 'an OpenDocument file'],
    [latin1('\x01\x02\x03\x04'), undefined],
    [latin1('caf\xe9 au lait, in Latin-1'), undefined],
  ]
  for (const [bytes, name] of files) {
    const head = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    assert.equal(contentName(head), name, head.toString('latin1', 0, 30))
  }
})

test('the content type of any 64 KiB of bytes is identified in bounded time', () => {
  for (const piece of ['<!--', '<?', ' ', '<!---->', 'PK\x03\x04', '{', 'ä']) {
    assert.ok(contentName(Buffer.from(piece.repeat(65_536 / piece.length))) !== '', piece)
  }
})
