import { checksOf } from '../kit/check.ts'
import { equal, ok } from '../kit/expect.ts'
import type { Json } from '../kit/json.ts'
import type { Kit } from '../kit/kit.ts'
import type { Directory } from '../media/exif.ts'
import { encodeExif, EXIF_TAGS as TAGS } from '../media/exif.ts'
import { draw, quarters, RED } from '../media/image.ts'
import { encodePng, withChunks, xmpChunk } from '../media/png.ts'

const GPS: Directory = new Map<number, string | number[]>([
  [TAGS.latitudeRef, 'S'],
  [TAGS.latitude, [33, 30, 0]],
  [TAGS.longitudeRef, 'E'],
  [TAGS.longitude, [151, 15, 0]],
])

const RIGHTS = new Map<number, string | Directory>([
  [TAGS.artist, 'Ada'],
  [TAGS.copyright, '2026 Ada'],
])

const CAMERA = new Map<number, string | Directory>([
  ...RIGHTS,
  [TAGS.make, 'Maker'],
  [TAGS.model, 'Model 5'],
  [TAGS.exif, new Map([[TAGS.capturedAt, '2024:05:01 12:30:00']])],
  [TAGS.gps, GPS],
])

const XMP = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Rights of XMP</rdf:li></rdf:Alt></dc:rights>
<dc:creator><rdf:Seq><rdf:li>Creator of XMP</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta>`

const withMetadata = (kit: Kit, chunks: Readonly<Record<string, Buffer>>) =>
  kit.upload(withChunks(encodePng(quarters()), chunks))

const readFully = async (kit: Kit, source: string): Promise<Json> =>
  (await kit.succeed('images/read', { source, level: 'full' })).result.data

export const METADATA = checksOf([
  {
    title:
      'images/read with level full returns the camera, the time, the artist, the copyright, and the location from EXIF',
    rules: ['images.read.8', 'images.read.9'],
    run: async (kit) => {
      const data = await readFully(kit, await withMetadata(kit, { eXIf: encodeExif(CAMERA), iTXt: xmpChunk(XMP) }))
      equal([data.camera, data.captured_at], ['Maker Model 5', '2024-05-01T12:30:00'], 'camera and captured_at')
      equal([data.artist, data.copyright], ['Ada', '2026 Ada'], 'artist and copyright of EXIF')
      equal(data.location, { latitude: -33.5, longitude: 151.25 }, 'location')
      const xmp = await readFully(kit, await withMetadata(kit, { iTXt: xmpChunk(XMP) }))
      equal([xmp.artist, xmp.copyright], ['Creator of XMP', 'Rights of XMP'], 'artist and copyright without EXIF')
      equal([xmp.camera, xmp.captured_at, xmp.location], [null, null, null], 'fields without a value')
      const long = new Map([[TAGS.artist, `a\u0007b${'c'.repeat(2000)}`]])
      const { artist } = await readFully(kit, await withMetadata(kit, { eXIf: encodeExif(long) }))
      equal([artist.length, artist.slice(0, 3)], [1000, 'a b'], 'a long text with a control character')
    },
  },
  {
    title:
      'images/read with level full counts similar colors as one color, and returns no colors for a transparent image',
    rules: ['images.read.10'],
    run: async (kit) => {
      const [red, green, blue] = RED
      const similar = draw(60, 40, (x) => (x < 40 ? RED : [red + 9, green + 9, blue + 9]))
      const { colors } = await readFully(kit, await kit.upload(encodePng(similar)))
      equal(colors.length, 1, 'colors that differ by 9')
      const different = draw(60, 40, (x) => (x < 40 ? RED : [red, green + 90, blue]))
      const two = (await readFully(kit, await kit.upload(encodePng(different)))).colors
      equal(two.length, 2, 'colors that differ by 90')
      ok(two[0].share > two[1].share, 'the most frequent color is first', two)
      const clear = await readFully(kit, await kit.upload(encodePng(draw(20, 20, () => [9, 9, 9, 0]))))
      equal(clear.colors, [], 'the colors of an invisible image')
    },
  },
  {
    title: 'images/read accepts a truncated image, but fails for a truncated image with level full',
    rules: ['images.read.7', 'images.read.4'],
    run: async (kit) => {
      const noise = encodePng(draw(90, 60, (x, y) => [(x * 37 + y * 91) % 256, (x * y * 7) % 256, (x * 13) % 256]))
      const source = await kit.upload(noise.subarray(0, noise.length / 2))
      const { data } = (await kit.succeed('images/read', { source })).result
      equal([data.width, data.height], [90, 60], 'the size of a truncated image')
      await kit.fail('images/read', { source, level: 'full' }, 'processing_failed')
    },
  },
  {
    title:
      'a result has no metadata by default; with metadata set to copyright or all_but_location, it has that metadata if its format supports it',
    rules: [
      'outputs.metadata.1',
      'outputs.metadata.2',
      'outputs.metadata.3',
      'outputs.metadata.4',
      'outputs.metadata.5',
    ],
    run: async (kit) => {
      const chunks = { eXIf: encodeExif(CAMERA), iTXt: xmpChunk(XMP), caBX: Buffer.from('manifest') }
      const source = await withMetadata(kit, chunks)
      equal((await readFully(kit, source)).content_credentials, true, 'content_credentials of the source')
      const outputs = [
        { format: 'png' },
        { format: 'png', metadata: 'copyright' },
        { format: 'jpg', metadata: 'all_but_location' },
        { format: 'webp', metadata: 'all_but_location' },
        { format: 'gif', metadata: 'all_but_location' },
      ]
      const { files } = (await kit.succeed('images/process', { source, outputs })).result
      const [none, rights, jpg, webp, gif] = await Promise.all(files.map(({ url }: Json) => readFully(kit, url)))
      for (const data of [none, rights, jpg, webp, gif]) {
        equal([data.location, data.content_credentials], [null, false], 'the location and the content credentials')
      }
      const kept = ({ artist, copyright, camera }: Json) => [artist, copyright, camera]
      equal(kept(none), [null, null, null], 'metadata of an output by default')
      equal(kept(rights), ['Ada', '2026 Ada', null], 'metadata: copyright')
      for (const data of [jpg, webp]) {
        equal(kept(data), ['Ada', '2026 Ada', 'Maker Model 5'], `metadata: all_but_location in ${data.format}`)
        equal(data.captured_at, '2024-05-01T12:30:00', 'captured_at')
      }
      equal(kept(gif), [null, null, null], 'metadata of a gif file')
    },
  },
  {
    title: 'metadata that is kept in a result file counts toward max_bytes',
    rules: ['outputs.max_bytes.4'],
    run: async (kit) => {
      const exif = encodeExif(new Map([[TAGS.copyright, 'c'.repeat(5000)]]))
      const source = await withMetadata(kit, { eXIf: exif })
      const limited = (max_bytes: number) => ({ source, outputs: [{ metadata: 'copyright', max_bytes }] })
      const [file] = (await kit.succeed('images/process', limited(20_000))).result.files
      ok(file.size > 5000, 'the metadata is part of the size', file.size)
      await kit.fail('images/process', limited(4000), 'processing_failed', /bytes/)
    },
  },
])
