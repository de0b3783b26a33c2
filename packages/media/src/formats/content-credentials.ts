import type { ImageSourceFormat } from '@mediamill/contract/domain/media'
import type { ByteReader } from './byte-reader.ts'
import { topLevelBoxes } from './heif/iso-bmff.ts'
import { SCAN, segmentsOf, THROUGH_SCANS } from './jpeg-segments.ts'
import { pngChunks } from './png.ts'
import { readDirectory, readLayout } from './tiff/directory.ts'
import { webpChunks } from './webp.ts'

type HasManifest = (source: ByteReader) => boolean

/** Returns whether a file contains a C2PA manifest (C2PA 2.1, A.3). Does not verify the manifest. */
export function hasContentCredentials(source: ByteReader, format: ImageSourceFormat): boolean {
  return FINDERS[format]?.(source) ?? false
}

// A JPEG stores a C2PA manifest in APP11 segments. The first segment contains the label of the manifest.
const APP11 = 0xeb
const MAX_LABEL_BYTES = 128

const inJpeg: HasManifest = (source) => {
  for (const { marker, at } of segmentsOf(source, THROUGH_SCANS)) {
    if (marker === SCAN) return false
    if (marker === APP11 && source.read(at + 2, MAX_LABEL_BYTES).includes('c2pa')) return true
  }
  return false
}

const inPng: HasManifest = (source) => pngChunks(source).some(({ type }) => type === 'caBX')

const inWebp: HasManifest = (source) => webpChunks(source).some(({ type }) => type === 'C2PA')

const C2PA_TAG = 0xcd41

const inTiff: HasManifest = (source) => {
  const layout = readLayout(source)
  return layout !== undefined && readDirectory(source, layout, layout.first).entries.has(C2PA_TAG)
}

const C2PA_UUID = Buffer.from('d8fec3d61b0e483c92975828877ec481', 'hex')

const inIsoMedia: HasManifest = (source) =>
  topLevelBoxes(source).some(({ type, start }) => type === 'uuid' && source.read(start, 16).equals(C2PA_UUID))

const FINDERS: Partial<Record<ImageSourceFormat, HasManifest>> = {
  JPEG: inJpeg,
  PNG: inPng,
  WEBP: inWebp,
  TIFF: inTiff,
  HEIC: inIsoMedia,
  AVIF: inIsoMedia,
}
