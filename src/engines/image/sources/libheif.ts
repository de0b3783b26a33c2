import { createRequire } from 'node:module'

/** libheif's own objects, which live in the module's memory. */
export type HeifContext = { readonly heif: 'context' }
export type HeifHandle = { readonly heif: 'handle' }
type HeifImage = { readonly heif: 'image' }
type HeifEnum = { readonly value: number }
type HeifError = { code: HeifEnum; message: string }

/** An interleaved plane; `data` is a view of the module's memory, valid until the next call into it. */
type HeifPlane = { width: number; height: number; stride: number; data: Uint8Array }

/** The part of libheif-js that is used here: its C functions, as its own decoder class calls them. */
export type LibHeif = {
  HEAPU8: Uint8Array
  heif_error_code: { heif_error_Ok: HeifEnum }
  heif_colorspace: { heif_colorspace_RGB: HeifEnum }
  heif_chroma: { heif_chroma_interleaved_RGB: HeifEnum; heif_chroma_interleaved_RGBA: HeifEnum }
  heif_context_alloc: () => HeifContext
  heif_context_free: (context: HeifContext) => void
  heif_context_read_from_memory: (context: HeifContext, bytes: Uint8Array) => HeifError
  heif_js_context_get_primary_image_handle: (context: HeifContext) => HeifHandle | HeifError
  heif_image_handle_get_width: (handle: HeifHandle) => number
  heif_image_handle_get_height: (handle: HeifHandle) => number
  heif_image_handle_has_alpha_channel: (handle: HeifHandle) => number
  heif_image_handle_is_premultiplied_alpha: (handle: HeifHandle) => number
  heif_image_handle_release: (handle: HeifHandle) => void
  heif_js_decode_image2: (
    handle: HeifHandle,
    colorspace: HeifEnum,
    chroma: HeifEnum,
  ) => { image: HeifImage; channels: HeifPlane[] } | HeifError
  heif_image_release: (image: HeifImage) => void
}

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

/** Lets the module go if its memory has grown large: WebAssembly memory never shrinks by itself. */
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

/** Whether a call came back with libheif's error in place of its result. */
export function isError(result: object): result is HeifError {
  return 'code' in result
}
