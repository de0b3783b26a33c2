import type { ImageOutputFormat, ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { OutputInput } from '@mediamill/contract/endpoints/outputs'
import { bufferReader } from '@mediamill/media/formats/byte-reader'
import { embedMetadata } from '@mediamill/media/metadata/embed'
import type { EmbeddedMetadata } from '@mediamill/media/metadata/exif'
import { readExif } from '@mediamill/media/metadata/exif'
import { readIptc } from '@mediamill/media/metadata/iptc'
import type { Kept } from '@mediamill/media/metadata/kept'
import { readXmp } from '@mediamill/media/metadata/xmp'
import type { EngineFile } from '../protocol/messages.ts'
import { readHeader, withByteReader } from '../sharp/header.ts'

type AddMetadata = (file: Buffer, output: { format: ImageOutputFormat; metadata?: Metadata }) => Buffer

type Metadata = OutputInput['metadata']

export async function openKept(input: EngineFile, outputs: readonly OutputInput[]): Promise<AddMetadata> {
  const wanted = new Set(outputs.flatMap(({ metadata }) => (isKept(metadata) ? [metadata] : [])))
  const found = new Map<Metadata, EmbeddedMetadata>()
  if (wanted.size > 0) {
    const read = await readerOf(input)
    for (const kept of wanted) found.set(kept, read(kept))
  }
  return (file, { format, metadata }) => {
    const kept = found.get(metadata)
    return kept === undefined ? file : embedMetadata(format, file, kept)
  }
}

const isKept = (metadata: Metadata): metadata is Kept => metadata !== undefined && metadata !== 'none'

async function readerOf(input: EngineFile): Promise<(kept: Kept) => EmbeddedMetadata> {
  const format = input.format as ImageSourceFormat
  // libvips does not read metadata of BMP and GIF.
  if (format === 'BMP' || format === 'GIF') return () => ({})
  const { exif, iptc, xmp } = await readHeader(input.path, format, 'source image')
  return (kept) => ({
    exif:
      format === 'TIFF'
        ? withByteReader(input.path, input.size, (source) => readExif(source, kept))
        : exif && readExif(bufferReader(withoutPrefix(exif)), kept),
    iptc: iptc && readIptc(iptc, kept),
    xmp: xmp && readXmp(xmp, kept),
  })
}

const PREFIX = 'Exif\0\0'

const withoutPrefix = (exif: Buffer) =>
  exif.toString('latin1', 0, PREFIX.length) === PREFIX ? exif.subarray(PREFIX.length) : exif
