import { open } from 'node:fs/promises'
import type { DataOf } from '@mediamill/contract/endpoints/index'
import ExifReader from 'exifreader'

type Embedded = Pick<
  DataOf<'images/read'>,
  'camera' | 'captured_at' | 'copyright' | 'artist' | 'color_profile' | 'location'
>

/** The maximum bytes to read. Cameras store metadata at the start of a file, but some editors store it at the end. */
const MAX_BYTES = 64 * 1024 * 1024

const MAX_TEXT_CHARACTERS = 1_000

export async function readEmbedded(path: string, size: number): Promise<Embedded> {
  const { exif, iptc, xmp, icc, gps } = parse(await readStart(path, Math.min(size, MAX_BYTES)))
  return {
    camera: cameraOf(textOf(exif?.Make), textOf(exif?.Model)),
    captured_at: timeOf(textOf(exif?.DateTimeOriginal), textOf(exif?.OffsetTimeOriginal)),
    copyright: textOf(exif?.Copyright) ?? textOf(iptc?.['Copyright Notice']) ?? textOf(xmp?.['rights']),
    artist: textOf(exif?.Artist) ?? textOf(iptc?.['By-line']) ?? textOf(xmp?.['creator']),
    color_profile: textOf(icc?.['ICC Description']),
    location: locationOf(gps?.Latitude, gps?.Longitude),
  }
}

async function readStart(path: string, length: number): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, 0)
  return buffer.subarray(0, bytesRead)
}

function parse(bytes: Buffer): ExifReader.ExpandedTags {
  try {
    return ExifReader.load(bytes, { expanded: true })
  } catch {
    // The library throws for missing and for damaged metadata.
    return {} as ExifReader.ExpandedTags
  }
}

function textOf(tags: unknown): string | null {
  const tag: { description?: unknown } | undefined = Array.isArray(tags) ? tags[0] : tags
  if (typeof tag?.description !== 'string') return null
  const text = tag.description
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
  return text === '' ? null : [...text].slice(0, MAX_TEXT_CHARACTERS).join('')
}

/** Omits the make if the model starts with it, as in `Canon` and `Canon EOS R5`. */
function cameraOf(make: string | null, model: string | null): string | null {
  if (make === null || model === null) return model ?? make
  return model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`
}

function timeOf(time: string | null, offset: string | null): string | null {
  const [, date, clock] = /^(\d{4}:\d{2}:\d{2}) (\d{2}:\d{2}:\d{2})$/.exec(time ?? '') ?? []
  if (date === undefined || clock === undefined) return null
  const iso = `${date.replaceAll(':', '-')}T${clock}`
  // A camera without a clock stores zeros or an impossible date.
  if (Number.isNaN(Date.parse(`${iso}Z`))) return null
  return /^[+-]\d{2}:\d{2}$/.test(offset ?? '') ? `${iso}${offset}` : iso
}

function locationOf(latitude: number | undefined, longitude: number | undefined): Embedded['location'] {
  if (latitude === undefined || longitude === undefined) return null
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return null
  return { latitude: rounded(latitude), longitude: rounded(longitude) }
}

const rounded = (degrees: number) => Math.round(degrees * 1e6) / 1e6
