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

/** A picture of an open file, in libheif's own memory. */
export type HeifHandle = heif_image_handle

/** An interleaved plane; `data` is a view of the module's memory, valid until the next call into it. */
type HeifPlane = { width: number; height: number; stride: number; data: Uint8Array }

// What the package's own types leave as `any`, by what its decoder class makes of it.
type Untyped = {
  HEAPU8: Uint8Array
  heif_js_context_get_primary_image_handle: (context: heif_context) => heif_image_handle | heif_error
  heif_js_decode_image2: (
    handle: heif_image_handle,
    colorspace: heif_colorspace,
    chroma: heif_chroma,
  ) => { image: heif_image; channels: HeifPlane[] } | heif_error
}

/** The module of libheif-js: its C functions, as its own decoder class calls them. */
export type LibHeif = Omit<MainModule, keyof Untyped> & Untyped

let loaded: LibHeif | undefined

/** What a picture of about 40 megapixels takes; 12 megapixels take 60 to 75 MB. */
const MAX_IDLE_HEAP_BYTES = 256 * 1024 * 1024

/**
 * libheif as WebAssembly, compiled on first use (about 40 ms).
 *
 * The package's main export is its asm.js build, at twice the time for a picture. The bundle's factory is called
 * instead of `libheif-js/wasm-bundle`, which keeps one instance for good, so that a grown one can be let go.
 */
export function libheif(): LibHeif {
  if (loaded === undefined) {
    const create: (options: object) => LibHeif = createRequire(import.meta.url)(
      'libheif-js/libheif-wasm/libheif-bundle.js',
    )
    // Its complaints about damaged files go nowhere: the failure says what matters.
    loaded = create({ print: ignore, printErr: ignore })
  }
  return loaded
}

const ignore = () => {}

/** Drops the module if its memory has grown large. WebAssembly memory never shrinks by itself. */
export function forgetLargeLibheif(): void {
  if (wasmHeapBytes() > MAX_IDLE_HEAP_BYTES) forgetLibheif()
}

/** Lets the module go, with its memory; the next picture compiles a new one. */
export function forgetLibheif(): void {
  loaded = undefined
}

/** How much memory the HEIC decoder holds in this process: 0 before its first picture. For recycling the process. */
export function wasmHeapBytes(): number {
  return loaded?.HEAPU8.byteLength ?? 0
}

/** Tells whether a call came back with libheif's error in place of its result. */
export function isError(result: object): result is heif_error {
  return 'code' in result
}
