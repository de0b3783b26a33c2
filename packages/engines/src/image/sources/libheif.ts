import { createRequire } from 'node:module'
import type {
  heif_chroma,
  heif_colorspace,
  heif_context,
  heif_error,
  heif_image,
  heif_image_handle,
  MainModule,
} from 'libheif-js/libheif-wasm/libheif.js'

/** An image in an open file, in libheif's memory. */
export type HeifHandle = heif_image_handle

/** A plane with interleaved channels. `data` is valid until the next call of libheif. */
type HeifPlane = { width: number; height: number; stride: number; data: Uint8Array }

// Types of members that the package declares as `any`. They match the use of these members in the package's decoder
// class.
type Untyped = {
  HEAPU8: Uint8Array
  heif_js_context_get_primary_image_handle: (context: heif_context) => heif_image_handle | heif_error
  heif_js_decode_image2: (
    handle: heif_image_handle,
    colorspace: heif_colorspace,
    chroma: heif_chroma,
  ) => { image: heif_image; channels: HeifPlane[] } | heif_error
}

export type LibHeif = Omit<MainModule, keyof Untyped> & Untyped

let loaded: LibHeif | undefined

/** The maximum memory to keep between images: about an image of 40 megapixels. */
const MAX_IDLE_HEAP_BYTES = 256 * 1024 * 1024

/** Returns the libheif module. The first call compiles it, which takes about 40 ms. */
export function libheif(): LibHeif {
  if (loaded === undefined) {
    const create: (options: object) => LibHeif = createRequire(import.meta.url)(
      'libheif-js/libheif-wasm/libheif-bundle.js',
    )
    // The error contains enough information, so libheif's messages are not printed.
    loaded = create({ print: ignore, printErr: ignore })
  }
  return loaded
}

const ignore = () => {}

/** Discards the module if it uses more memory than `MAX_IDLE_HEAP_BYTES`, because WebAssembly memory never shrinks. */
export function forgetLargeLibheif(): void {
  if (wasmHeapBytes() > MAX_IDLE_HEAP_BYTES) forgetLibheif()
}

export function forgetLibheif(): void {
  loaded = undefined
}

/** Returns the memory of the HEIC decoder in bytes, or 0 before the first HEIC image. */
export function wasmHeapBytes(): number {
  return loaded?.HEAPU8.byteLength ?? 0
}

export function isError(result: object): result is heif_error {
  return 'code' in result
}
