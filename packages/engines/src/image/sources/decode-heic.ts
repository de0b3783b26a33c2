import { RequestFailure } from '@mediamill/contract/domain/errors'
import { MAX_FRAME_PIXELS } from '@mediamill/contract/domain/limits'
import { bufferReader } from '@mediamill/media/formats/byte-reader'
import { isWhole } from '@mediamill/media/formats/heif/heif-extents'
import { readItems } from '@mediamill/media/formats/heif/heif-items'
import { heifProfile } from '@mediamill/media/formats/heif/heif-profile'
import { headerBoxes } from '@mediamill/media/formats/heif/iso-bmff'
import type { RawPicture } from '@mediamill/media/pixels/raw-picture'
import { rawTiff } from '../../sharp/raw-tiff.ts'
import type { HeifHandle, LibHeif } from './libheif.ts'
import { forgetLargeLibheif, forgetLibheif, isError, libheif } from './libheif.ts'
import { refuseOverLimit } from './pixel-limit.ts'

/** A decoded HEIC picture: its pixels are in its own colours, which `profile` says. None is sRGB. */
export type HeicPicture = {
  /** Three channels, four where the file has alpha. Its data is a part of `tiff`. */
  picture: RawPicture
  profile: Buffer | undefined
  /** The same pixels and profile as a file that sharp opens, and converts to sRGB. */
  tiff: Buffer
}

/**
 * Decodes the primary picture of a HEIC file. It is put together from its tiles and turned as the container says.
 *
 * Blocks for about 35 ms a megapixel. Throws `processing_failed` for a file that is damaged or cut off, and, by the
 * header and before a pixel is decoded, for one of more pixels than the limit.
 */
export function decodeHeic(bytes: Buffer, maxPixels: number = MAX_FRAME_PIXELS): HeicPicture {
  const lib = libheif()
  const context = lib.heif_context_alloc()
  let handle: HeifHandle | undefined
  let isSound = true
  try {
    if (lib.heif_context_read_from_memory(context, bytes).code !== lib.heif_error_code.heif_error_Ok) throw damaged()
    const primary = lib.heif_js_context_get_primary_image_handle(context)
    if (isError(primary)) throw damaged(primary)
    handle = primary
    refuseOverLimit(lib.heif_image_handle_get_width(handle), lib.heif_image_handle_get_height(handle), maxPixels)
    return decodeHandle(lib, handle, readTables(bytes))
  } catch (error) {
    if (error instanceof RequestFailure) throw error
    // The module has aborted, out of memory for one: its state cannot be trusted, so that it is not used again.
    isSound = false
    forgetLibheif()
    throw damaged(error)
  } finally {
    if (isSound) {
      if (handle !== undefined) lib.heif_image_handle_release(handle)
      lib.heif_context_free(context)
      forgetLargeLibheif()
    }
  }
}

const damaged = (cause?: unknown) =>
  new RequestFailure('processing_failed', 'The HEIC picture is damaged or cut off: it cannot be decoded.', { cause })

/** What the file's own tables say: its profile. Throws when the picture's data does not lie within the file. */
function readTables(bytes: Buffer): Buffer | undefined {
  try {
    const { meta } = headerBoxes(bufferReader(bytes))
    if (meta === undefined) return undefined
    const items = readItems(meta)
    if (!isWhole(meta, items, bytes.length)) throw damaged()
    return heifProfile(items)
  } catch (error) {
    // libheif reads the file, but not so these tables: then its colours are taken as sRGB.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function decodeHandle(lib: LibHeif, handle: HeifHandle, profile: Buffer | undefined): HeicPicture {
  const channels = lib.heif_image_handle_has_alpha_channel(handle) === 0 ? 3 : 4
  const { heif_chroma_interleaved_RGB, heif_chroma_interleaved_RGBA } = lib.heif_chroma
  const chroma = channels === 3 ? heif_chroma_interleaved_RGB : heif_chroma_interleaved_RGBA
  const decoded = lib.heif_js_decode_image2(handle, lib.heif_colorspace.heif_colorspace_RGB, chroma)
  if (isError(decoded)) throw damaged(decoded)
  try {
    const plane = decoded.channels[0]
    if (plane === undefined) throw damaged()
    const { width, height, stride, data } = plane
    const { file, pixels } = rawTiff(
      { width, height },
      { colors: 'rgb', alpha: channels === 4 ? 'straight' : 'none', bits: 8 },
      profile,
    )
    const rowBytes = width * channels
    if (stride === rowBytes) pixels.set(data.subarray(0, pixels.length))
    else for (let y = 0; y < height; y += 1) pixels.set(data.subarray(y * stride, y * stride + rowBytes), y * rowBytes)
    if (channels === 4 && lib.heif_image_handle_is_premultiplied_alpha(handle) !== 0) straighten(pixels)
    return { picture: { data: pixels, width, height, channels }, profile, tiff: file }
  } finally {
    lib.heif_image_release(decoded.image)
  }
}

/** Divides colours by the alpha they were multiplied with. */
function straighten(pixels: Buffer): void {
  for (let p = 0; p < pixels.length; p += 4) {
    const alpha = pixels[p + 3] ?? 0
    if (alpha === 0 || alpha === 255) continue
    for (let channel = p; channel < p + 3; channel += 1) {
      pixels[channel] = Math.min(255, Math.round(((pixels[channel] ?? 0) * 255) / alpha))
    }
  }
}
