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

/** An image in an open file. libheif owns its memory. */
export type HeifHandle = heif_image_handle

/** An interleaved plane. `data` is a view of the module's memory, valid until the next call into the module. */
type HeifPlane = { width: number; height: number; stride: number; data: Uint8Array }

// Types of members that the package declares as `any`, derived from its decoder class.
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

/** The maximum memory of an idle module, about the memory for an image of 40 megapixels. */
const MAX_IDLE_HEAP_BYTES = 256 * 1024 * 1024

/** Returns the libheif module. Compiles the WebAssembly on first use, which takes about 40 ms. */
export function libheif(): LibHeif {
  if (loaded === undefined) {
    const create: (options: object) => LibHeif = createRequire(import.meta.url)(
      'libheif-js/libheif-wasm/libheif-bundle.js',
    )
    // libheif's messages about damaged files are dropped, because the error is enough.
    loaded = create({ print: ignore, printErr: ignore })
  }
  return loaded
}

const ignore = () => {}

/** Discards the module if its memory is large, because WebAssembly memory never shrinks. */
export function forgetLargeLibheif(): void {
  if (wasmHeapBytes() > MAX_IDLE_HEAP_BYTES) forgetLibheif()
}

export function forgetLibheif(): void {
  loaded = undefined
}

/** Returns the bytes of memory of the HEIC decoder in this process. Returns 0 before its first image. */
export function wasmHeapBytes(): number {
  return loaded?.HEAPU8.byteLength ?? 0
}

export function isError(result: object): result is heif_error {
  return 'code' in result
}
