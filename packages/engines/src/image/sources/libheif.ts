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

export type HeifHandle = heif_image_handle

/** Decoded pixels with interleaved channels. `data` is valid until the next call of libheif. */
type HeifPlane = { width: number; height: number; stride: number; data: Uint8Array }

// The package declares these members as `any`. The types match their use in the package's decoder class.
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

/** The maximum memory to keep between images, enough for about 40 megapixels. */
const MAX_IDLE_HEAP_BYTES = 256 * 1024 * 1024

export function libheif(): LibHeif {
  if (loaded === undefined) {
    const create: (options: object) => LibHeif = createRequire(import.meta.url)(
      'libheif-js/libheif-wasm/libheif-bundle.js',
    )
    loaded = create({ print: ignore, printErr: ignore })
  }
  return loaded
}

const ignore = () => {}

/** Discards a large module, because WebAssembly memory never shrinks. */
export function forgetLargeLibheif(): void {
  if (wasmHeapBytes() > MAX_IDLE_HEAP_BYTES) forgetLibheif()
}

export function forgetLibheif(): void {
  loaded = undefined
}

export function wasmHeapBytes(): number {
  return loaded?.HEAPU8.byteLength ?? 0
}

export function isError(result: object): result is heif_error {
  return 'code' in result
}
