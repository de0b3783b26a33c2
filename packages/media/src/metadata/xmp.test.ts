import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kept } from './kept.ts'
import { readXmp } from './xmp.ts'

const NAMESPACES = [
  'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"',
  'xmlns:dc="http://purl.org/dc/elements/1.1/"',
  'xmlns:exif="http://ns.adobe.com/exif/1.0/"',
  'xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"',
  'xmlns:ext="http://iptc.org/std/Iptc4xmpExt/2008-02-29/"',
  'xmlns:xmp="http://ns.adobe.com/xap/1.0/"',
  'xmlns:rights="http://ns.adobe.com/xap/1.0/rights/"',
].join(' ')

const packet = (attributes: string, elements = '') =>
  `<?xpacket begin="\uFEFF" id="x"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${NAMESPACES}><rdf:Description rdf:about="" ${attributes}>${elements}</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>`

const read = (text: string, kept: Kept) => readXmp(Buffer.from(text), kept)?.toString()

const alternatives = (name: string, text: string) =>
  `<${name}><rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt></${name}>`

test('metadata copyright keeps the rights in XMP attributes and elements, and nothing else [outputs.metadata.1]', () => {
  const text = packet(
    'xmp:Rating="5" rights:WebStatement="https://example.com/terms"',
    `${alternatives('dc:rights', '© Ada')}${alternatives('dc:title', 'Sea')}<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li></rdf:Seq></dc:creator>`,
  )
  const kept = read(text, 'copyright') ?? ''
  for (const part of ['© Ada', '<rdf:li>Ada</rdf:li>', 'https://example.com/terms', 'x-default'])
    assert.ok(kept.includes(part), part)
  for (const part of ['Sea', 'Rating']) assert.ok(!kept.includes(part), part)
  assert.equal(read(kept, 'copyright'), kept)
  assert.equal(read(packet('xmp:Rating="5"', alternatives('dc:title', 'Sea')), 'copyright'), undefined)
})

test('metadata all_but_location removes locations from XMP at any depth and in any namespace [outputs.metadata.2]', () => {
  const nested =
    '<ext:Event rdf:parseType="Resource"><ext:Name>Fair</ext:Name><ext:LocationShown><rdf:Bag><rdf:li ext:City="Secret1"/></rdf:Bag></ext:LocationShown></ext:Event>'
  const drone = '<d:Flight xmlns:d="http://example.com/drone" d:GpsLongitude="Secret2" d:Speed="7"/>'
  const text = packet(
    'exif:GPSLatitude="Secret3" photoshop:City="Secret4" photoshop:Country="Secret5" exif:ISO="100" xmp:Thumbnails="Secret6"',
    `${nested}${drone}${alternatives('dc:title', 'Sea')}<exif:GPSAltitude>Secret7</exif:GPSAltitude><dc:coverage>Secret8</dc:coverage><!-- Secret9 -->`,
  )
  const kept = read(text, 'all_but_location') ?? ''
  for (const part of ['Fair', 'Speed', 'Sea', 'ISO']) assert.ok(kept.includes(part), part)
  assert.doesNotMatch(kept, /Secret/)
  const outside = text
    .replace('<rdf:RDF', '<rdf:RDF exif:GPSLatitude="Secret10"')
    .replace('<rdf:Description', '<!-- Secret11 --><exif:GPSInfo>Secret12</exif:GPSInfo><rdf:Description')
  assert.doesNotMatch(read(outside, 'all_but_location') ?? 'Secret', /Secret/)
})

test('damaged, oversized, and hostile XMP is omitted from the result [outputs.metadata.4]', () => {
  const deep = `${'<dc:a>'.repeat(20_000)}Secret${'</dc:a>'.repeat(20_000)}`
  for (const text of [
    '',
    'no XML',
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>',
    packet('xmp:Rating="5"').replace('</rdf:Description>', ''),
    `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(1000)}">]>${packet('xmp:Rating="&a;"')}`,
    packet('xmp:Rating="&a;"'),
    packet('', alternatives('dc:title', 'a'.repeat(600_000))),
    packet(Array.from({ length: 2 }, () => 'xmp:Rating="5"').join(' ')),
  ]) {
    assert.equal(read(text, 'all_but_location'), undefined, text.slice(0, 200))
  }
  assert.doesNotMatch(read(packet('xmp:Rating="5"', deep), 'all_but_location') ?? '', /Secret/)
  const many = (count: number) =>
    packet('', Array.from({ length: count }, (_, at) => `<dc:a${at}>1</dc:a${at}>`).join(''))
  assert.ok((read(many(4000), 'all_but_location') ?? '').includes('dc:a3999'))
  // Removing 30,000 elements would take minutes.
  assert.equal(read(many(30_000), 'all_but_location'), undefined)
  assert.equal(read(many(30_000).replaceAll(/<dc:a\d+>1<\/dc:a\d+>/g, '<a/>'), 'all_but_location'), undefined)
})
