import { RequestFailure } from '@mediamill/contract/domain/errors'
import { MAX_FRAME_PIXELS } from '@mediamill/contract/domain/limits'
import { tryRead } from '@mediamill/contract/lib/try-read'
import { bufferReader } from '@mediamill/media/formats/byte-reader'
import { isWhole } from '@mediamill/media/formats/heif/heif-extents'
import { readItems } from '@mediamill/media/formats/heif/heif-items'
import { heifProfile } from '@mediamill/media/formats/heif/heif-profile'
import { headerBoxes } from '@mediamill/media/formats/heif/iso-bmff'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import { divideAlpha } from '@mediamill/media/pixels/stamps/premultiplied'
import type { PixelLimits } from '@mediamill/media/plan/image-budget'
import type { EngineFile } from '../../protocol/messages.ts'
import { rawTiff } from '../../sharp/raw-tiff.ts'
import type { HeifHandle, LibHeif } from './libheif.ts'
import { forgetLargeLibheif, forgetLibheif, isError, libheif } from './libheif.ts'
import type { OpenedSource } from './opened-source.ts'
import { openRaw, profiledImage, rawImage, rejectOverLimit } from './raw-source.ts'

export const openHeic = (file: EngineFile, { maxFramePixels }: PixelLimits): Promise<OpenedSource> =>
  openRaw(file, 'HEIC', (bytes) => {
    const { image, profile, tiff } = decodeHeic(bytes, maxFramePixels)
    return profile === undefined ? rawImage(image) : profiledImage('HEIC', image, { profile, tiff })
  })

type HeicImage = {
  image: RawImage
  profile: Buffer | undefined
  /** A TIFF with these pixels and the profile, which sharp converts to sRGB. */
  tiff: Buffer
}

/** Decodes a HEIC, joins its tiles, and rotates it. Checks the size before decoding. */
export function decodeHeic(bytes: Buffer, maxPixels: number = MAX_FRAME_PIXELS): HeicImage {
  const lib = libheif()
  const context = lib.heif_context_alloc()
  let handle: HeifHandle | undefined
  let isIntact = true
  try {
    if (lib.heif_context_read_from_memory(context, bytes).code !== lib.heif_error_code.heif_error_Ok) throw damaged()
    const primary = lib.heif_js_context_get_primary_image_handle(context)
    if (isError(primary)) throw damaged(primary)
    handle = primary
    rejectOverLimit(lib.heif_image_handle_get_width(handle), lib.heif_image_handle_get_height(handle), maxPixels)
    return decodeHandle(lib, handle, readTables(bytes))
  } catch (error) {
    if (error instanceof RequestFailure) throw error
    // The module aborted, for example because memory ran out. Its state is unreliable.
    isIntact = false
    forgetLibheif()
    throw damaged(error)
  } finally {
    if (isIntact) {
      if (handle !== undefined) lib.heif_image_handle_release(handle)
      lib.heif_context_free(context)
      forgetLargeLibheif()
    }
  }
}

const damaged = (cause?: unknown) =>
  new RequestFailure('processing_failed', 'The HEIC image is damaged or truncated: it cannot be decoded.', { cause })

/**
 * Returns the color profile. Throws if the image data is truncated. For damaged tables, returns `undefined` (sRGB),
 * because libheif may still open the file.
 */
const readTables = (bytes: Buffer): Buffer | undefined =>
  tryRead(() => {
    const { meta } = headerBoxes(bufferReader(bytes))
    if (meta === undefined) return undefined
    const items = readItems(meta)
    if (!isWhole(meta, items, bytes.length)) throw damaged()
    return heifProfile(items)
  })

function decodeHandle(lib: LibHeif, handle: HeifHandle, profile: Buffer | undefined): HeicImage {
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
    if (channels === 4 && lib.heif_image_handle_is_premultiplied_alpha(handle) !== 0) divideAlpha(pixels, 1)
    return { image: { data: pixels, width, height, channels }, profile, tiff: file }
  } finally {
    lib.heif_image_release(decoded.image)
  }
}
