// Written by scripts/write-client-types.ts from docs/openapi.json: change that, not this.

import type { MediaSource } from './files/media-source.ts'

/** A request that was aborted. It is not charged. */
export type AbortedRequest = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint of the request. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `aborted` here. */
  status: 'aborted'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: RequestInput
  /** Charge; always zero. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at?: string | undefined
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** The account of the key, its balance, and its limits. */
export type Account = {
  /** Always `account`. */
  object: 'account'
  /** Account identifier. */
  id: number
  /** Name of the account. */
  name: string
  /** Contact email address. */
  email: string
  /** `paid` after credit has been bought. */
  tier: 'free' | 'paid' | (string & {})
  /** Current balance: payments minus charges. */
  balance: Money
  /** Part of the balance that is held for open requests. */
  held: Money
  /** Credit available for new requests: the balance minus holds. It can be negative. */
  available: Money
  /** Default webhook URL for finished requests. */
  webhook_url: string | null
  /** Mode of the key used. */
  livemode: boolean
  limits: Limits
  /** Whether calls of this account are rejected. */
  suspended: boolean
  /** Creation time. */
  created_at: string
}

/** An error response. */
export type ApiError = {
  error: ErrorDetails
}

/** True or false. */
export type BooleanVariable = {
  /** Always `boolean`. */
  type: 'boolean'
  /** Value if a call does not send the variable. Without a default, each call must send it. */
  default?: boolean | undefined
  /** Purpose of the variable. At most 200 characters. */
  description?: string | undefined
}

/** Adds a border, which enlarges the image. */
export type BorderOperation = {
  /** Always `border`. */
  type: 'border'
  /** Width of the border above the image, in pixels. Integer, 0 to 2000. */
  top: number
  /** Width of the border below the image, in pixels. Integer, 0 to 2000. */
  bottom: number
  /** Width of the border left of the image, in pixels. Integer, 0 to 2000. */
  left: number
  /** Width of the border right of the image, in pixels. Integer, 0 to 2000. */
  right: number
  /** Color of the border. Alpha is kept if the output format supports transparency. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. */
  color: string
}

/** Every operation, with its parameters and their bounds. */
export type Catalog = {
  /** Always `operations`. */
  object: 'operations'
  data: CatalogData
}

/** Operations by kind of file. */
export type CatalogData = {
  /** Operations for images. */
  image: CatalogMedium
  /** Operations for videos. */
  video: CatalogMedium
  /** Operations for PDFs. */
  document: CatalogMedium
}

/** The operations for one kind of file. */
export type CatalogMedium = {
  /** Output formats, the default first. */
  formats: Array<string>
  /** Operations by name. */
  operations: Record<string, CatalogOperation>
}

/** An operation. */
export type CatalogOperation = {
  /** Description. */
  description: string
  /** Parameters by name. */
  params: Record<string, CatalogParameter>
}

/** A parameter of an operation. */
export type CatalogParameter = {
  /** Description. */
  description: string
  /** Whether the operation requires the parameter. */
  required: boolean
  /** Default value. */
  default?: unknown
  /** JSON type of the value. */
  type: string
  /** Smallest value. */
  minimum?: number | undefined
  /** Largest value. */
  maximum?: number | undefined
  /** All values. */
  enum?: Array<unknown> | undefined
}

/** A complete file, ready for use. */
export type CompleteUpload = {
  /** Upload identifier. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always `complete` here. */
  status: 'complete'
  /** Value for `source` or `image_url`. */
  source: string
  /** File name, as sent. */
  filename?: string | undefined
  /** Size of the file in bytes. */
  size: number
  /** SHA-256 of the file in hex. */
  sha256: string
  /** Detected format; null if it is unknown. */
  format: string | null
  /** Creation time. */
  created_at: string
  /** Time when the upload is deleted. An open request that uses it delays the deletion. */
  expires_at: string
}

/** Sets the quality of a jpg, webp, or avif result. Lossless formats ignore it. */
export type CompressOperation = {
  /** Always `compress`. */
  type: 'compress'
  /** Quality. Lower values make smaller files. Integer, 1 to 100. */
  quality: number
}

/** Keeps a rectangle, trimmed to the image. */
export type CropOperation = {
  /** Always `crop`. */
  type: 'crop'
  /** Left edge of the rectangle, in pixels from the left. Integer, 0 to 20000. */
  x: number
  /** Top edge of the rectangle, in pixels from the top. Integer, 0 to 20000. */
  y: number
  /** Width of the rectangle, in pixels. Integer, 1 to 20000. */
  width: number
  /** Height of the rectangle, in pixels. Integer, 1 to 20000. */
  height: number
}

/** A deleted template. */
export type DeletedTemplate = {
  /** Name. */
  name: string
  /** Always `template`. */
  object: 'template'
  /** Always true. */
  deleted: true
}

/** A deleted upload. */
export type DeletedUpload = {
  /** Upload identifier. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always true. */
  deleted: true
}

/** Also stores the file in your own bucket. */
export type Destination = {
  /** A public URL that is signed for a PUT. At most 2048 characters. */
  url: string
  /** Headers to send with the file: content-type, cache-control, content-disposition, x-amz-*, x-goog-*, x-ms-*. At most 20 keys. */
  headers?: Record<string, string> | undefined
}

/** An operation on documents. */
export type DocumentOperation = WatermarkOperation

/** Options for the result. */
export type DocumentOutput = {
  /** Format of the result. Default: `pdf`. */
  format?: 'pdf' | undefined
  destination?: Destination | undefined
  /** Whether to remove JavaScript, embedded files, and actions that start programs, send or import data, or open other files. Default: `remove`. */
  active_content?: 'remove' | 'keep' | undefined
}

/** Metadata in `result.data` of documents/process. */
export type DocumentsProcessFacts = {
  /** Number of pages. Integer, at least 0. */
  page_count: number
  page_size: PageSize
  /** Always `PDF`. */
  format: 'PDF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
}

/** The fields that you sent to documents/process, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type DocumentsProcessInput = {
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<DocumentOperation>
  output?: DocumentOutput | undefined
  /** Keeps only this many pages from the start. Integer, 1 to 2000. */
  max_pages?: number | undefined
  /** Template that these fields come from, with its version. */
  template?: string | undefined
}

/** A request of documents/process, from acceptance to its end. */
export type DocumentsProcessRequest = QueuedRequest | ProcessingRequest | SucceededDocumentsProcess | FailedRequest | AbortedRequest

/** Result of documents/process. */
export type DocumentsProcessResult = {
  data: DocumentsProcessFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** Metadata in `result.data` of documents/read. */
export type DocumentsReadFacts = {
  /** Number of pages. Integer, at least 0. */
  page_count: number
  page_size: PageSize
  /** Always `PDF`. */
  format: 'PDF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** PDF version that the file declares. */
  pdf_version: string
  /** Whether the file is encrypted, but opens without a password. */
  encrypted: boolean
  /** Whether pages differ in size. */
  page_sizes_vary: boolean
  /** Title in the metadata; null without a title. */
  title: string | null
  /** Whether the file contains JavaScript, or an XFA form, which can contain scripts. */
  has_javascript: boolean
  /** Files embedded in the document. Integer, at least 0. */
  attachments: number
}

/** The fields that you sent to documents/read, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type DocumentsReadInput = Record<string, unknown>

/** A request of documents/read, from acceptance to its end. */
export type DocumentsReadRequest = QueuedRequest | ProcessingRequest | SucceededDocumentsRead | FailedRequest | AbortedRequest

/** Result of documents/read. */
export type DocumentsReadResult = {
  data: DocumentsReadFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** Metadata in `result.data` of documents/snapshot. */
export type DocumentsSnapshotFacts = {
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Format of the result. */
  format: 'JPEG' | 'PNG' | 'WEBP' | 'GIF' | 'TIFF' | 'AVIF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** Page number of the image. */
  page: number
}

/** The fields that you sent to documents/snapshot, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type DocumentsSnapshotInput = {
  /** Page number, starting at 1. Default: `1`. Integer, 1 to 2000. */
  page?: number | undefined
  output?: StillOutput | undefined
  /** Several files of the same source, instead of `output`. Each file costs the price of a request. 1 to 20 items. */
  outputs?: Array<StillOutputs> | undefined
  /** Template that these fields come from, with its version. */
  template?: string | undefined
}

/** A request of documents/snapshot, from acceptance to its end. */
export type DocumentsSnapshotRequest = QueuedRequest | ProcessingRequest | SucceededDocumentsSnapshot | FailedRequest | AbortedRequest

/** Result of documents/snapshot. */
export type DocumentsSnapshotResult = {
  data: DocumentsSnapshotFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** Why the call was rejected. */
export type ErrorDetails = {
  /** Kind of error, which follows from the status. */
  type: 'authentication' | 'payment_required' | 'permission' | 'not_found' | 'conflict' | 'gone' | 'precondition_failed' | 'invalid_request' | 'rate_limited' | 'server_error' | (string & {})
  /** Stable code for programs. The table of error codes lists all. */
  code: 'missing_api_key' | 'invalid_api_key' | 'insufficient_credits' | 'paid_account_required' | 'account_suspended' | 'key_restricted' | 'invalid_signature' | 'request_not_found' | 'not_found' | 'request_finished' | 'request_not_finished' | 'idempotency_key_reused' | 'idempotency_key_in_use' | 'upload_in_use' | 'upload_offset_mismatch' | 'result_expired' | 'upload_expired' | 'tus_version_unsupported' | 'content_type_unsupported' | 'range_not_satisfiable' | 'validation_failed' | 'url_invalid' | 'url_blocked' | 'url_unresolvable' | 'upload_not_found' | 'upload_incomplete' | 'upload_too_large' | 'template_not_found' | 'rate_limited' | 'concurrency_limited' | 'test_mode_daily_limit' | 'upload_checksum_mismatch' | 'server_error' | 'source_unreachable' | 'source_too_large' | 'unsupported_media' | 'encrypted_document' | 'processing_failed' | (string & {})
  /** Human-readable: the error and its fix. */
  message: string
  /** Dotted path of the first invalid field. */
  param?: string | undefined
  /** All invalid fields or rejected URLs, in the order of the body. */
  errors?: Array<InvalidField> | undefined
  /** Page that explains the code and the fix. */
  doc_url: string
  /** Identifier of this call. The header Request-Id has the same value. Include it in support requests. */
  request_id: string
}

/** The price of a call. An estimate starts and charges nothing. */
export type Estimate = {
  /** Always `estimate`. */
  object: 'estimate'
  /** The endpoint of the estimate. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Unit of the price. */
  unit: 'request' | 'started minute' | 'page' | (string & {})
  /** Price of one unit. */
  unit_price: Money
  units: EstimatedUnits
  price: EstimatedPrice
  /** Whether the available credit is enough to start the request. */
  affordable: boolean
}

/** Charge if the request succeeds. */
export type EstimatedPrice = {
  /** Minimum charge; zero in test mode. */
  minimum: Money
  /** Maximum charge; null if it depends on the file. */
  maximum: Money | null
}

/** Number of units. */
export type EstimatedUnits = {
  /** Minimum number of units that are charged. */
  minimum: number
  /** Maximum number of units; null if it depends on the file. */
  maximum: number | null
}

/** Delivery of an event. */
export type EventDelivery = {
  /** Webhook URL; null if the account had no URL when the request finished. */
  url: string | null
  /** `pending` until an attempt gets a 2xx status, `undelivered` after the last failed attempt, `unaddressed` without a URL. */
  status: 'pending' | 'delivered' | 'undelivered' | 'unaddressed' | (string & {})
  /** Number of finished attempts. Integer, at least 0. */
  attempts: number
}

/** Events, oldest first. */
export type EventList = {
  /** Always `list`. */
  object: 'list'
  /** Events, oldest first. */
  data: Array<ListedEvent>
  /** Whether newer events follow. */
  has_more: boolean
}

/** Changes brightness in stops of light, and contrast. Black and white stay unchanged. */
export type ExposureOperation = {
  /** Always `exposure`. */
  type: 'exposure'
  /** Brightness: 50 makes middle gray one stop brighter, -100 two stops darker. Default: `0`. Integer, -100 to 100. */
  brightness?: number | undefined
  /** Contrast: positive values increase it, negative values decrease it. Default: `0`. Integer, -100 to 100. */
  contrast?: number | undefined
}

/** A request that failed. It is not charged. */
export type FailedRequest = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint of the request. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `failed` here. */
  status: 'failed'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: RequestInput
  error: Failure
  /** Charge; always zero. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at?: string | undefined
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** Why a request failed. It is not charged. */
export type Failure = {
  /** Stable code for programs. */
  code: 'url_blocked' | 'url_invalid' | 'url_unresolvable' | 'source_unreachable' | 'source_too_large' | 'unsupported_media' | 'encrypted_document' | 'processing_failed' | (string & {})
  /** Human-readable: the error and its fix. */
  message: string
  /** Index of the operation that failed, if any. */
  operation?: number | undefined
  /** Name of the output that failed, if any. `operation` is then an index of its operations. */
  output?: string | undefined
  /** Page that explains the code and the fix. */
  doc_url: string
}

/** Applies one of 18 photo filters. */
export type FilterOperation = {
  /** Always `filter`. */
  type: 'filter'
  /** Name of the filter. */
  name: 'amaro' | 'apollo' | 'brannan' | 'earlybird' | 'gotham' | 'hefe' | 'inkwell' | 'kelvin' | 'lomo' | 'nashville' | 'poprocket' | 'rise' | 'sierra' | 'toaster' | 'valencia' | 'walden' | 'willow' | 'xpro2'
  /** Strength of the filter in percent; 0 changes nothing. Default: `100`. Integer, 0 to 100. */
  strength?: number | undefined
}

/** Flips the image. */
export type FlipOperation = {
  /** Always `flip`. */
  type: 'flip'
  /** Flip left and right. Default: `false`. */
  horizontal?: boolean | undefined
  /** Flip top and bottom. Default: `false`. */
  vertical?: boolean | undefined
}

/** Removes the colors. */
export type GrayscaleOperation = {
  /** Always `grayscale`. */
  type: 'grayscale'
}

/** A dominant color of an image. */
export type ImageColor = {
  /** Color as `#RRGGBB`. */
  color: string
  /** Share of the visible pixels. 0 to 1. */
  share: number
}

/** Where an image was taken. */
export type ImageLocation = {
  /** Degrees north of the equator. -90 to 90. */
  latitude: number
  /** Degrees east of Greenwich. -180 to 180. */
  longitude: number
}

/** An operation on images. */
export type ImageOperation = WatermarkOperation | BorderOperation | ResizeOperation | CropOperation | ThumbnailOperation | RotateOperation | FlipOperation | OrientOperation | GrayscaleOperation | SepiaOperation | ExposureOperation | FilterOperation | RemoveBackgroundOperation | CompressOperation

/** Options for the result. */
export type ImageOutput = {
  /** Format of the result. Default: `jpg`. */
  format?: 'jpg' | 'png' | 'webp' | 'gif' | 'tif' | undefined
  destination?: Destination | undefined
}

/** One of several files to make. */
export type ImageOutputs = {
  /** Unique name of the file. Default: its position, such as `0`. */
  name?: string | undefined
  /** Operations of this file, run on the result of the request’s operations. Default: `[]`. At most 20 items. */
  operations?: Array<ImageOperation> | undefined
  /** Quality of jpg, webp, and avif: 1 to 100, or `auto` for the lowest quality that looks like the original. */
  quality?: number | 'auto' | undefined
  /** Size limit in bytes. The quality is lowered until the file fits. Integer, at least 1000. */
  max_bytes?: number | undefined
  /** Whether the service may also reduce the width and height to meet `max_bytes`. */
  max_bytes_resize?: boolean | undefined
  /** Metadata of the source to keep: nothing (the default), creator and rights, or all except location, orientation, and thumbnails. */
  metadata?: 'none' | 'copyright' | 'all_but_location' | undefined
  destination?: Destination | undefined
  /** Format of the file. `avif` is only available here. Default: `jpg`. */
  format?: 'jpg' | 'png' | 'webp' | 'gif' | 'tif' | 'avif' | undefined
}

/** An image prepared as a watermark. */
export type ImageStamp = {
  /** Always `image`. */
  type: 'image'
  /** Public http or https URL, upload, or link to a result. The image may have any supported source format. At most 2048 characters. */
  source: string
  /** Width in pixels before rotation. By default, the width of the image. Integer, 1 to 8000. */
  width?: number | undefined
  /** Opacity in percent. Multiplies the transparency that the image already has. Default: `100`. Integer, 1 to 100. */
  opacity?: number | undefined
  /** Angle in degrees, clockwise. New corners are transparent. Default: `0`. Integer, -360 to 360. */
  rotation?: number | undefined
  /** Trims a border of one color, or a transparent border, first. Default: `false`. */
  trim?: boolean | undefined
}

/** Metadata in `result.data` of images/process. */
export type ImagesProcessFacts = {
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Format of the result. */
  format: 'JPEG' | 'PNG' | 'WEBP' | 'GIF' | 'TIFF' | 'AVIF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
}

/** The fields that you sent to images/process, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type ImagesProcessInput = {
  /** Operations, run in order from the first to the last. Required without `outputs`. 1 to 20 items. */
  operations?: Array<ImageOperation> | undefined
  output?: ImageOutput | undefined
  /** Several files of the same source, instead of `output`. Each file costs the price of a request. 1 to 20 items. */
  outputs?: Array<ImageOutputs> | undefined
  /** Template that these fields come from, with its version. */
  template?: string | undefined
}

/** A request of images/process, from acceptance to its end. */
export type ImagesProcessRequest = QueuedRequest | ProcessingRequest | SucceededImagesProcess | FailedRequest | AbortedRequest

/** Result of images/process. */
export type ImagesProcessResult = {
  data: ImagesProcessFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** Metadata in `result.data` of images/read. */
export type ImagesReadFacts = {
  /** Frames of an animation, or pages of a TIFF; otherwise 1. */
  frames: number
  /** EXIF orientation. `RightTop` means that the first stored row is at the right of the displayed image, and the first column at its top. `TopLeft` is upright. */
  orientation: 'Undefined' | 'TopLeft' | 'TopRight' | 'BottomRight' | 'BottomLeft' | 'LeftTop' | 'RightTop' | 'RightBottom' | 'LeftBottom' | (string & {})
  /** Format of the file, detected by its content. */
  format: 'JPEG' | 'PNG' | 'GIF' | 'WEBP' | 'TIFF' | 'BMP' | 'HEIC' | 'AVIF' | (string & {})
  /** Color model of the stored pixels. */
  colorspace: 'sRGB' | 'CMYK' | 'Gray' | 'Lab' | (string & {})
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** Make and model of the camera; null if the file does not name them. Only with `level: "full"`. */
  camera?: string | null | undefined
  /** Time of capture by the camera’s clock, such as `2024-05-01T12:30:00`, with the UTC offset if the file names it. Only with `level: "full"`. */
  captured_at?: string | null | undefined
  /** Copyright notice in EXIF, IPTC, or XMP. Only with `level: "full"`. */
  copyright?: string | null | undefined
  /** Creator in EXIF, IPTC, or XMP. Only with `level: "full"`. */
  artist?: string | null | undefined
  /** Name of the embedded ICC profile. Only with `level: "full"`. */
  color_profile?: string | null | undefined
  /** Whether the file contains content credentials (C2PA). They are not verified. Only with `level: "full"`. */
  content_credentials?: boolean | undefined
  /** Location in EXIF; null without one. Only with `level: "full"`. */
  location?: ImageLocation | null | undefined
  /** Up to five dominant colors of the first frame, most frequent first. Each has at least 2 % of the visible pixels. Null for an image over the pixel limits. Only with `level: "full"`. */
  colors?: Array<ImageColor> | null | undefined
  /** ThumbHash of the upright first frame in base64; null for an image over the pixel limits. Only with `level: "full"`. */
  thumbhash?: string | null | undefined
}

/** The fields that you sent to images/read, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type ImagesReadInput = {
  /** How much to read. `basic`, the default, reads the header. `full` also reads embedded metadata and decodes the image. */
  level?: 'basic' | 'full' | (string & {}) | undefined
}

/** A request of images/read, from acceptance to its end. */
export type ImagesReadRequest = QueuedRequest | ProcessingRequest | SucceededImagesRead | FailedRequest | AbortedRequest

/** Result of images/read. */
export type ImagesReadResult = {
  data: ImagesReadFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** An integer. */
export type IntegerVariable = {
  /** Always `integer`. */
  type: 'integer'
  /** Value if a call does not send the variable. Without a default, each call must send it. */
  default?: number | undefined
  /** Smallest value. */
  minimum?: number | undefined
  /** Largest value. */
  maximum?: number | undefined
  /** Purpose of the variable. At most 200 characters. */
  description?: string | undefined
}

/** One invalid field or rejected URL of a call. */
export type InvalidField = {
  /** Dotted path of the field. */
  param: string
  /** Error code of the field. */
  code: 'required' | 'invalid_type' | 'invalid_value' | 'out_of_range' | 'too_short' | 'too_long' | 'unknown_parameter' | 'unknown_operation' | 'not_supported_for_media' | 'url_invalid' | 'url_blocked' | 'url_unresolvable' | 'upload_not_found' | 'upload_incomplete' | (string & {})
  /** Human-readable: the error and the valid values. */
  message: string
}

/** Limits of the key used. */
export type Limits = {
  /** Calls in any 60 seconds. */
  requests_per_minute: number
  /** Requests queued or processing at the same time. */
  concurrent_requests: number
  /** Maximum size of a source in bytes. */
  max_source_bytes: number
}

/** An event and its delivery; `type` contains the status of the request. */
export type ListedEvent = RequestSucceededListedEvent | RequestFailedListedEvent | RequestAbortedListedEvent

/** One call to a processing endpoint, from acceptance to its end. Its fields depend on `status`. Only `succeeded` is charged. */
export type MediaRequest = QueuedRequest | ProcessingRequest | SucceededRequest | FailedRequest | AbortedRequest

/** An amount of money. */
export type Money = {
  /** Dollars with six decimals. */
  amount: string
  /** Always `usd`. */
  currency: 'usd'
  /** Millionths of a dollar. */
  micro_usd: number
}

/** A watermark image to make; `type` selects text or image. */
export type NewStamp = TextStamp | ImageStamp

/** A template: the fields of a processing call, with variables. */
export type NewTemplate = {
  /** Name, 1 to 64 characters of `a-z0-9_-`. An existing name gets a new version. */
  name: string
  /** The endpoint that runs the template. Default: `images/process`. */
  endpoint?: 'images/process' | 'videos/process' | 'videos/screenshot' | 'documents/process' | 'documents/snapshot' | (string & {}) | undefined
  /** Operations, as in a body of the endpoint. */
  operations?: Array<Record<string, unknown>> | undefined
  /** Output, as in a body of the endpoint, without `destination`. */
  output?: Record<string, unknown> | undefined
  /** Outputs, as in a body of the endpoint, without `destination`. */
  outputs?: Array<Record<string, unknown>> | undefined
  /** For videos/screenshot. */
  seconds?: number | {
    variable: string
  } | undefined
  /** For videos/process. */
  max_duration?: number | {
    variable: string
  } | undefined
  /** For documents/snapshot. */
  page?: number | {
    variable: string
  } | undefined
  /** For documents/process. */
  max_pages?: number | {
    variable: string
  } | undefined
  /** Variables by name. `{"variable": "NAME"}` can replace the value of any field. */
  variables?: Record<string, TemplateVariable> | undefined
}

/** Requests a signed URL, to which a browser can send a file. */
export type NewUpload = {
  /** File name for display only. It must have no control characters, bidi controls, `/`, or `\`, and must not be `.` or `..`. At most 255 characters. */
  filename?: string | undefined
  /** Size of the file in bytes, at most the key's `max_source_bytes`. Integer, at least 1. */
  size: number
  /** Origin of the web page that sends the file. Browsers may use the URL only from this origin. */
  origin?: string | undefined
}

/** A number. */
export type NumberVariable = {
  /** Always `number`. */
  type: 'number'
  /** Value if a call does not send the variable. Without a default, each call must send it. */
  default?: number | undefined
  /** Smallest value. */
  minimum?: number | undefined
  /** Largest value. */
  maximum?: number | undefined
  /** Purpose of the variable. At most 200 characters. */
  description?: string | undefined
}

/** Rotates the image upright by its EXIF orientation. */
export type OrientOperation = {
  /** Always `orient`. */
  type: 'orient'
}

/** Size of page 1 as displayed. */
export type PageSize = {
  /** Width in points. */
  width: number
  /** Height in points. */
  height: number
  /** Always `pt`. A point is 1/72 inch. */
  unit: 'pt'
}

/** A request in processing. */
export type ProcessingRequest = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint of the request. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `processing` here. */
  status: 'processing'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: RequestInput
  /** Progress in percent, for video requests. It never decreases. Integer, 0 to 100. */
  progress?: number | undefined
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
}

/** A request that waits for a worker. */
export type QueuedRequest = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint of the request. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `queued` here. */
  status: 'queued'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: RequestInput
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
}

/** Makes the color of the top-left corner and similar colors transparent, or white if the output is not png, webp, or avif. */
export type RemoveBackgroundOperation = {
  /** Always `remove_background`. */
  type: 'remove_background'
  /** Tolerance in percent: colors within it count as background. Integer, 0 to 100. */
  tolerance: number
  /** Width of the faded edge in pixels, inwards. Default: `0`. Integer, 0 to 10. */
  blur?: number | undefined
}

/** A request has finished with status `aborted`. */
export type RequestAbortedEvent = {
  /** The same on every retry. Ignore an event that you have already processed. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.aborted` here. */
  type: 'request.aborted'
  /** Time when the request finished, in Unix time. */
  created: number
  data: AbortedRequest
}

/** The event of a finished request with status `aborted`, with the state of its delivery. */
export type RequestAbortedListedEvent = {
  /** The same on every retry. Ignore an event that you have already processed. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.aborted` here. */
  type: 'request.aborted'
  /** Time when the request finished, in Unix time. */
  created: number
  data: AbortedRequest
  delivery: EventDelivery
}

/** A request has finished with status `failed`. */
export type RequestFailedEvent = {
  /** The same on every retry. Ignore an event that you have already processed. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.failed` here. */
  type: 'request.failed'
  /** Time when the request finished, in Unix time. */
  created: number
  data: FailedRequest
}

/** The event of a finished request with status `failed`, with the state of its delivery. */
export type RequestFailedListedEvent = {
  /** The same on every retry. Ignore an event that you have already processed. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.failed` here. */
  type: 'request.failed'
  /** Time when the request finished, in Unix time. */
  created: number
  data: FailedRequest
  delivery: EventDelivery
}

/** The fields that you sent, such as `operations` and `output`, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type RequestInput = ImagesProcessInput | ImagesReadInput | VideosProcessInput | VideosReadInput | VideosScreenshotInput | DocumentsProcessInput | DocumentsReadInput | DocumentsSnapshotInput

/** Requests, newest first. */
export type RequestList = {
  /** Always `list`. */
  object: 'list'
  /** Requests, newest first. */
  data: Array<MediaRequest>
  /** Whether older requests follow. */
  has_more: boolean
}

/** A request has finished with status `succeeded`. */
export type RequestSucceededEvent = {
  /** The same on every retry. Ignore an event that you have already processed. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.succeeded` here. */
  type: 'request.succeeded'
  /** Time when the request finished, in Unix time. */
  created: number
  data: SucceededRequest
}

/** The event of a finished request with status `succeeded`, with the state of its delivery. */
export type RequestSucceededListedEvent = {
  /** The same on every retry. Ignore an event that you have already processed. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.succeeded` here. */
  type: 'request.succeeded'
  /** Time when the request finished, in Unix time. */
  created: number
  data: SucceededRequest
  delivery: EventDelivery
}

/** Changes the size: fits inside a box, fills it, or stretches to it. */
export type ResizeOperation = {
  /** Always `resize`. */
  type: 'resize'
  /** Width of the box, in pixels. Integer, 1 to 20000. */
  width: number
  /** Height of the box, in pixels. Integer, 1 to 20000. */
  height: number
  /** Fit inside the box instead of stretching to it. Default: `true`. */
  preserve_aspect_ratio?: boolean | undefined
  /** Fill the box and trim the overflow, centered. Default: `false`. */
  crop_center?: boolean | undefined
}

/** A file of a result. */
export type ResultFile = {
  /** Signed download link. Anyone with the link can download the file. */
  url: string
  /** Time when the file is deleted and the link expires. */
  url_expires_at: string
  /** File format in lowercase. */
  format: 'jpg' | 'png' | 'webp' | 'gif' | 'tif' | 'avif' | 'mp4' | 'pdf' | (string & {})
  /** Size in bytes. */
  size: number | null
  /** SHA-256 of the file in hex. */
  sha256: string
  /** Name of the output, for a request with `outputs`. */
  name?: string | undefined
  /** Width in pixels, for a request with `outputs`. */
  width?: number | undefined
  /** Height in pixels, for a request with `outputs`. */
  height?: number | undefined
}

/** Rotates clockwise by any angle, then optionally flips. The canvas expands to fit. */
export type RotateOperation = {
  /** Always `rotate`. */
  type: 'rotate'
  /** Angle in degrees, clockwise. Negative values rotate counterclockwise. Integer, -360 to 360. */
  degrees: number
  /** Flip left and right after the rotation. Default: `false`. */
  flip_horizontal?: boolean | undefined
  /** Flip top and bottom after the rotation. Default: `false`. */
  flip_vertical?: boolean | undefined
}

/** Applies the brown tone of an old photo. */
export type SepiaOperation = {
  /** Always `sepia`. */
  type: 'sepia'
  /** Strength of the tone in percent; 0 changes nothing. Integer, 0 to 100. */
  threshold: number
}

/** An upload of a PNG with transparency, and its size. */
export type Stamp = {
  /** Upload identifier. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always `complete` here. */
  status: 'complete'
  /** Value for `source` or `image_url`. */
  source: string
  /** File name, as sent. */
  filename?: string | undefined
  /** Size of the file in bytes. */
  size: number
  /** SHA-256 of the file in hex. */
  sha256: string
  /** Detected format; null if it is unknown. */
  format: string | null
  /** Creation time. */
  created_at: string
  /** Time when the upload is deleted. An open request that uses it delays the deletion. */
  expires_at: string
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
}

/** Options for the result. */
export type StillOutput = {
  /** Format of the result. Default: `jpg`. */
  format?: 'jpg' | 'png' | undefined
  destination?: Destination | undefined
}

/** One of several files to make. */
export type StillOutputs = {
  /** Unique name of the file. Default: its position, such as `0`. */
  name?: string | undefined
  /** Operations of this file, run on the result of the request’s operations. Default: `[]`. At most 20 items. */
  operations?: Array<ImageOperation> | undefined
  /** Quality of jpg, webp, and avif: 1 to 100, or `auto` for the lowest quality that looks like the original. */
  quality?: number | 'auto' | undefined
  /** Size limit in bytes. The quality is lowered until the file fits. Integer, at least 1000. */
  max_bytes?: number | undefined
  /** Whether the service may also reduce the width and height to meet `max_bytes`. */
  max_bytes_resize?: boolean | undefined
  /** Metadata of the source to keep: nothing (the default), creator and rights, or all except location, orientation, and thumbnails. */
  metadata?: 'none' | 'copyright' | 'all_but_location' | undefined
  destination?: Destination | undefined
  /** Format of the file. `avif` is only available here. Default: `jpg`. */
  format?: 'jpg' | 'png' | 'avif' | undefined
}

/** A text, such as a color, a format, or a URL. */
export type StringVariable = {
  /** Always `string`. */
  type: 'string'
  /** Value if a call does not send the variable. Without a default, each call must send it. At most 2048 characters. */
  default?: string | undefined
  /** The allowed values. 1 to 100 items. */
  enum?: Array<string> | undefined
  /** Maximum length in characters. Integer, 1 to 2048. */
  max_length?: number | undefined
  /** Purpose of the variable. At most 200 characters. */
  description?: string | undefined
}

/** A request of documents/process that succeeded. */
export type SucceededDocumentsProcess = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `documents/process` here. */
  endpoint: 'documents/process'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: DocumentsProcessInput
  result: DocumentsProcessResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of documents/read that succeeded. */
export type SucceededDocumentsRead = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `documents/read` here. */
  endpoint: 'documents/read'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: DocumentsReadInput
  result: DocumentsReadResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of documents/snapshot that succeeded. */
export type SucceededDocumentsSnapshot = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `documents/snapshot` here. */
  endpoint: 'documents/snapshot'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: DocumentsSnapshotInput
  result: DocumentsSnapshotResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of images/process that succeeded. */
export type SucceededImagesProcess = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `images/process` here. */
  endpoint: 'images/process'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: ImagesProcessInput
  result: ImagesProcessResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of images/read that succeeded. */
export type SucceededImagesRead = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `images/read` here. */
  endpoint: 'images/read'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: ImagesReadInput
  result: ImagesReadResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request that succeeded; the type of its result depends on `endpoint`. */
export type SucceededRequest = SucceededImagesProcess | SucceededImagesRead | SucceededVideosProcess | SucceededVideosRead | SucceededVideosScreenshot | SucceededDocumentsProcess | SucceededDocumentsRead | SucceededDocumentsSnapshot

/** A request of videos/process that succeeded. */
export type SucceededVideosProcess = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `videos/process` here. */
  endpoint: 'videos/process'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: VideosProcessInput
  result: VideosProcessResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of videos/read that succeeded. */
export type SucceededVideosRead = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `videos/read` here. */
  endpoint: 'videos/read'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: VideosReadInput
  result: VideosReadResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of videos/screenshot that succeeded. */
export type SucceededVideosScreenshot = {
  /** Request identifier. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `videos/screenshot` here. */
  endpoint: 'videos/screenshot'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False for requests of a test key. */
  livemode: boolean
  /** Source URL, or upload reference. */
  source: string
  input: VideosScreenshotInput
  result: VideosScreenshotResult
  /** Charge; zero in test mode. */
  price: Money
  /** Your own customer identifier, as sent. */
  customer?: string | undefined
  /** Your own keys and values, as sent. */
  metadata?: Record<string, string> | undefined
  /** Time of acceptance. */
  created_at: string
  /** Time when processing started. */
  started_at: string
  /** Time when the request finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A version of a template. Versions never change. */
export type Template = {
  /** Name and version, for the field `template`. */
  id: string
  /** Always `template`. */
  object: 'template'
  /** Name. */
  name: string
  /** Version, from 1. */
  version: number
  /** The endpoint that runs the template. */
  endpoint: 'images/process' | 'videos/process' | 'videos/screenshot' | 'documents/process' | 'documents/snapshot' | (string & {})
  /** Operations, as in a body of the endpoint. */
  operations?: Array<Record<string, unknown>> | undefined
  /** Output, as in a body of the endpoint, without `destination`. */
  output?: Record<string, unknown> | undefined
  /** Outputs, as in a body of the endpoint, without `destination`. */
  outputs?: Array<Record<string, unknown>> | undefined
  /** For videos/screenshot. */
  seconds?: number | {
    variable: string
  } | undefined
  /** For videos/process. */
  max_duration?: number | {
    variable: string
  } | undefined
  /** For documents/snapshot. */
  page?: number | {
    variable: string
  } | undefined
  /** For documents/process. */
  max_pages?: number | {
    variable: string
  } | undefined
  /** Variables by name. */
  variables: Record<string, TemplateVariable>
  /** Creation time of this version. */
  created_at: string
}

/** Templates, by name. */
export type TemplateList = {
  /** Always `list`. */
  object: 'list'
  /** Templates, by name. */
  data: Array<Template>
  /** Whether more templates follow. */
  has_more: boolean
}

/** A value that calls of the template choose. */
export type TemplateVariable = IntegerVariable | NumberVariable | StringVariable | BooleanVariable

/** A text as an image. */
export type TextStamp = {
  /** Always `text`. */
  type: 'text'
  /** Text to draw, with lines separated by `\n`. It is never interpreted as markup. Supports the letters of every script in the bundled fonts. 1 to 200 characters. */
  text: string
  /** Font of the text. Other bundled fonts draw characters that it lacks. Default: `arimo`. */
  font?: 'arimo' | 'arimo_bold' | 'arimo_italic' | 'arimo_bold_italic' | 'tinos' | 'tinos_bold' | 'tinos_italic' | 'tinos_bold_italic' | 'cousine' | 'cousine_bold' | 'cousine_italic' | 'cousine_bold_italic' | 'courier_prime' | 'courier_prime_bold' | 'courier_prime_italic' | 'courier_prime_bold_italic' | undefined
  /** Font size in pixels. Default: `48`. Integer, 4 to 1000. */
  size?: number | undefined
  /** Color of the letters. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. Default: `ffffff`. */
  color?: string | undefined
  /** Opacity of the whole image in percent. Default: `100`. Integer, 1 to 100. */
  opacity?: number | undefined
  /** Angle in degrees, clockwise. New corners are transparent. Default: `0`. Integer, -360 to 360. */
  rotation?: number | undefined
  /** An optional outline around the letters. */
  outline?: {
    /** Color of the outline. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. Default: `000000`. */
    color?: string | undefined
    /** Width of the outline in pixels. Default: `2`. Integer, 1 to 50. */
    width?: number | undefined
  } | undefined
  /** An optional shadow behind letters and outline. */
  shadow?: {
    /** Color of the shadow. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. Default: `000000`. */
    color?: string | undefined
    /** Opacity of the shadow in percent. Default: `50`. Integer, 1 to 100. */
    opacity?: number | undefined
    /** Horizontal offset to the right, in pixels. Default: `2`. Integer, -200 to 200. */
    x?: number | undefined
    /** Vertical offset down, in pixels. Default: `2`. Integer, -200 to 200. */
    y?: number | undefined
    /** Blur in pixels; 0 is sharp. Default: `4`. Integer, 0 to 100. */
    blur?: number | undefined
  } | undefined
  /** Alignment of the lines. Default: `left`. */
  align?: 'left' | 'center' | 'right' | undefined
}

/** Makes a small image that fits a box, compressed and without metadata. */
export type ThumbnailOperation = {
  /** Always `thumbnail`. */
  type: 'thumbnail'
  /** Width of the box, in pixels. Integer, 1 to 4000. */
  width: number
  /** Height of the box, in pixels; by default in proportion to the width. Integer, 1 to 4000. */
  height?: number | undefined
  /** Quality of a jpg, webp, or avif result. Integer, 1 to 100. */
  quality?: number | undefined
}

/** Duration of each stage of the final attempt, in milliseconds. */
export type Timings = {
  /** From acceptance to the start of the final attempt. Integer, at least 0. */
  queued_ms: number
  /** Download of the source and the watermark images; 0 if it did not start, or if the request was aborted. Integer, at least 0. */
  download_ms: number
  /** Processing. Integer, at least 0. */
  process_ms: number
  /** Storing the result. Integer, at least 0. */
  store_ms: number
  /** From acceptance to the end. Integer, at least 0. */
  total_ms: number
}

/** An uploaded file; `status` is `waiting` until all bytes have arrived. */
export type Upload = CompleteUpload | WaitingUpload

/** Usage by a grouping. */
export type Usage = UsageByDay | UsageByEndpoint | UsageByCustomer | UsageByStatus

/** Usage by customer. */
export type UsageByCustomer = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** Grouping of the rows. */
  group_by: 'customer'
  /** A row for each customer with requests, ascending. */
  data: Array<UsageByCustomerRow>
}

/** Totals of one customer. */
export type UsageByCustomerRow = {
  /** Customer; null for requests without a customer. */
  customer: string | null
  /** All requests in any status. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** Charge in dollars with six decimals. */
  spent: string
  /** Charge in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Size of the resulting files in bytes. */
  result_bytes: number
}

/** Usage by day. */
export type UsageByDay = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** Grouping of the rows. */
  group_by: 'day'
  /** A row for each day with requests, ascending. */
  data: Array<UsageByDayRow>
}

/** Totals of one day. */
export type UsageByDayRow = {
  /** Day, UTC. */
  day: string
  /** All requests in any status. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** Charge in dollars with six decimals. */
  spent: string
  /** Charge in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Size of the resulting files in bytes. */
  result_bytes: number
}

/** Usage by endpoint. */
export type UsageByEndpoint = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** Grouping of the rows. */
  group_by: 'endpoint'
  /** A row for each endpoint with requests, ascending. */
  data: Array<UsageByEndpointRow>
}

/** Totals of one endpoint. */
export type UsageByEndpointRow = {
  /** The endpoint. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** All requests in any status. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** Charge in dollars with six decimals. */
  spent: string
  /** Charge in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Size of the resulting files in bytes. */
  result_bytes: number
}

/** Usage by status. */
export type UsageByStatus = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** Grouping of the rows. */
  group_by: 'status'
  /** A row for each status with requests, ascending. */
  data: Array<UsageByStatusRow>
}

/** Totals of one status. */
export type UsageByStatusRow = {
  /** The status. */
  status: 'queued' | 'processing' | 'succeeded' | 'failed' | 'aborted' | (string & {})
  /** All requests in any status. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** Charge in dollars with six decimals. */
  spent: string
  /** Charge in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Size of the resulting files in bytes. */
  result_bytes: number
}

/** An operation on videos. */
export type VideoOperation = WatermarkOperation | BorderOperation | ResizeOperation | CropOperation | RotateOperation | FlipOperation | GrayscaleOperation

/** Options for the result. */
export type VideoOutput = {
  /** Format of the result. Default: `mp4`. */
  format?: 'mp4' | undefined
  destination?: Destination | undefined
}

/** Metadata in `result.data` of videos/process. */
export type VideosProcessFacts = {
  /** Duration in seconds, with at most 3 decimals. At least 0. */
  duration: number
  /** Video codec, by its ffprobe name. */
  codec: string
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Average frames per second. At least 0. */
  frame_rate: number
  /** Bits per second of the whole file. Integer, at least 0. */
  bitrate: number
  /** Audio codec, by its ffprobe name; null without audio. */
  audio_codec: string | null
  /** Container format of the file. */
  format: 'MP4' | 'MOV' | 'WEBM' | 'MKV' | 'AVI' | 'FLV' | 'MPEG' | 'MPEGTS' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
}

/** The fields that you sent to videos/process, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type VideosProcessInput = {
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<VideoOperation>
  output?: VideoOutput | undefined
  /** Keeps only this many seconds from the start. Integer, 1 to 7200. */
  max_duration?: number | undefined
  /** Template that these fields come from, with its version. */
  template?: string | undefined
}

/** A request of videos/process, from acceptance to its end. */
export type VideosProcessRequest = QueuedRequest | ProcessingRequest | SucceededVideosProcess | FailedRequest | AbortedRequest

/** Result of videos/process. */
export type VideosProcessResult = {
  data: VideosProcessFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** Metadata in `result.data` of videos/read. */
export type VideosReadFacts = {
  /** Duration in seconds, with at most 3 decimals. At least 0. */
  duration: number
  /** Video codec, by its ffprobe name. */
  codec: string
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Average frames per second. At least 0. */
  frame_rate: number
  /** Bits per second of the whole file. Integer, at least 0. */
  bitrate: number
  /** Audio codec, by its ffprobe name; null without audio. */
  audio_codec: string | null
  /** Container format of the file. */
  format: 'MP4' | 'MOV' | 'WEBM' | 'MKV' | 'AVI' | 'FLV' | 'MPEG' | 'MPEGTS' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** Rotation in players, in degrees clockwise. */
  rotation: number
  /** Audio channels; null without audio. */
  audio_channels: number | null
  /** Audio samples per second; null without audio. */
  audio_sample_rate: number | null
}

/** The fields that you sent to videos/read, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type VideosReadInput = Record<string, unknown>

/** A request of videos/read, from acceptance to its end. */
export type VideosReadRequest = QueuedRequest | ProcessingRequest | SucceededVideosRead | FailedRequest | AbortedRequest

/** Result of videos/read. */
export type VideosReadResult = {
  data: VideosReadFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** Metadata in `result.data` of videos/screenshot. */
export type VideosScreenshotFacts = {
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Format of the result. */
  format: 'JPEG' | 'PNG' | 'WEBP' | 'GIF' | 'TIFF' | 'AVIF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** The requested position. Integer, at least 0. */
  seconds: number
}

/** The fields that you sent to videos/screenshot, without `source`, `webhook_url`, `customer`, and `metadata`. Fields that you did not send are absent. */
export type VideosScreenshotInput = {
  /** Position in seconds from the start. Integer, 0 to 86400. */
  seconds: number
  output?: StillOutput | undefined
  /** Several files of the same source, instead of `output`. Each file costs the price of a request. 1 to 20 items. */
  outputs?: Array<StillOutputs> | undefined
  /** Template that these fields come from, with its version. */
  template?: string | undefined
}

/** A request of videos/screenshot, from acceptance to its end. */
export type VideosScreenshotRequest = QueuedRequest | ProcessingRequest | SucceededVideosScreenshot | FailedRequest | AbortedRequest

/** Result of videos/screenshot. */
export type VideosScreenshotResult = {
  data: VideosScreenshotFacts
  /** The resulting files, in the order of `outputs`; empty for reads. */
  files: Array<ResultFile>
  /** Time when the files are deleted. Reads also have this field, although they make no files. */
  deleted_at?: string | undefined
}

/** A file that is not complete yet. */
export type WaitingUpload = {
  /** Upload identifier. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always `waiting` here. */
  status: 'waiting'
  /** Value for `source` or `image_url`. */
  source: string
  /** File name, as sent. */
  filename?: string | undefined
  /** Size of the file in bytes. */
  size: number
  /** Bytes received so far. */
  received: number
  /** Signed URL that accepts the file without a key: by PUT, or resumable by tus 1.0. */
  upload_url: string
  /** Creation time. */
  created_at: string
  /** Time when the upload is deleted. An open request that uses it delays the deletion. */
  expires_at: string
}

/** Overlays an image, once or tiled, with optional diagonal lines. */
export type WatermarkOperation = {
  /** Always `watermark`. */
  type: 'watermark'
  /** The watermark, a JPEG, PNG, GIF, or WebP: a public http or https URL, or an upload. At most 2048 characters. */
  image_url: string
  /** Left edge of the overlay, in pixels from the left of the image. With `gravity`: margin or offset. Integer, -20000 to 20000. */
  x: number
  /** Top edge of the overlay, in pixels from the top of the image. With `gravity`: margin or offset. Integer, -20000 to 20000. */
  y: number
  /** Anchors the overlay: `x` and `y` are margins from these edges, or offsets from the center. */
  gravity?: 'north_west' | 'north' | 'north_east' | 'west' | 'center' | 'east' | 'south_west' | 'south' | 'south_east' | undefined
  /** Resizes the overlay: its longer side takes this percentage of the frame's shorter side. Integer, 1 to 100. */
  scale?: number | undefined
  /** Repeats the overlay to the right: the step in pixels between left edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_x?: number | undefined
  /** Repeats the overlay downwards: the step in pixels between top edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_y?: number | undefined
  /** Draws two lines from corner to corner in this color. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. */
  diagonal_lines_color?: string | undefined
  /** Opacity of the lines in percent; 100 by default. Integer, 0 to 100. */
  diagonal_lines_opacity?: number | undefined
}

/** A request has finished; `type` contains the status. */
export type WebhookEvent = RequestSucceededEvent | RequestFailedEvent | RequestAbortedEvent

/** An operation on documents. */
export type DocumentOperationParams = WatermarkOperationParams

/** Body of documents/process. */
export type DocumentsProcessParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<DocumentOperationParams>
  output?: DocumentOutput | undefined
  /** Keeps only this many pages from the start. Integer, 1 to 2000. */
  max_pages?: number | undefined
}

/** Body of documents/read. */
export type DocumentsReadParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
}

/** Body of documents/snapshot. */
export type DocumentsSnapshotParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Page number, starting at 1. Default: `1`. Integer, 1 to 2000. */
  page?: number | undefined
  output?: StillOutput | undefined
  /** Several files of the same source, instead of `output`. Each file costs the price of a request. 1 to 20 items. */
  outputs?: Array<StillOutputsParams> | undefined
}

/** An operation on images. */
export type ImageOperationParams = WatermarkOperationParams | BorderOperation | ResizeOperation | CropOperation | ThumbnailOperation | RotateOperation | FlipOperation | OrientOperation | GrayscaleOperation | SepiaOperation | ExposureOperation | FilterOperation | RemoveBackgroundOperation | CompressOperation

/** One of several files to make. */
export type ImageOutputsParams = {
  /** Unique name of the file. Default: its position, such as `0`. */
  name?: string | undefined
  /** Operations of this file, run on the result of the request’s operations. Default: `[]`. At most 20 items. */
  operations?: Array<ImageOperationParams> | undefined
  /** Quality of jpg, webp, and avif: 1 to 100, or `auto` for the lowest quality that looks like the original. */
  quality?: number | 'auto' | undefined
  /** Size limit in bytes. The quality is lowered until the file fits. Integer, at least 1000. */
  max_bytes?: number | undefined
  /** Whether the service may also reduce the width and height to meet `max_bytes`. */
  max_bytes_resize?: boolean | undefined
  /** Metadata of the source to keep: nothing (the default), creator and rights, or all except location, orientation, and thumbnails. */
  metadata?: 'none' | 'copyright' | 'all_but_location' | undefined
  destination?: Destination | undefined
  /** Format of the file. `avif` is only available here. Default: `jpg`. */
  format?: 'jpg' | 'png' | 'webp' | 'gif' | 'tif' | 'avif' | undefined
}

/** An image prepared as a watermark. */
export type ImageStampParams = {
  /** Always `image`. */
  type: 'image'
  /** Public http or https URL, upload, or link to a result. The image may have any supported source format. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** Width in pixels before rotation. By default, the width of the image. Integer, 1 to 8000. */
  width?: number | undefined
  /** Opacity in percent. Multiplies the transparency that the image already has. Default: `100`. Integer, 1 to 100. */
  opacity?: number | undefined
  /** Angle in degrees, clockwise. New corners are transparent. Default: `0`. Integer, -360 to 360. */
  rotation?: number | undefined
  /** Trims a border of one color, or a transparent border, first. Default: `false`. */
  trim?: boolean | undefined
}

/** Body of images/process. */
export type ImagesProcessParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Operations, run in order from the first to the last. Required without `outputs`. 1 to 20 items. */
  operations?: Array<ImageOperationParams> | undefined
  output?: ImageOutput | undefined
  /** Several files of the same source, instead of `output`. Each file costs the price of a request. 1 to 20 items. */
  outputs?: Array<ImageOutputsParams> | undefined
}

/** Body of images/read. */
export type ImagesReadParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** How much to read. `basic`, the default, reads the header. `full` also reads embedded metadata and decodes the image. */
  level?: 'basic' | 'full' | undefined
}

/** A watermark image to make; `type` selects text or image. */
export type NewStampParams = TextStamp | ImageStampParams

/** One of several files to make. */
export type StillOutputsParams = {
  /** Unique name of the file. Default: its position, such as `0`. */
  name?: string | undefined
  /** Operations of this file, run on the result of the request’s operations. Default: `[]`. At most 20 items. */
  operations?: Array<ImageOperationParams> | undefined
  /** Quality of jpg, webp, and avif: 1 to 100, or `auto` for the lowest quality that looks like the original. */
  quality?: number | 'auto' | undefined
  /** Size limit in bytes. The quality is lowered until the file fits. Integer, at least 1000. */
  max_bytes?: number | undefined
  /** Whether the service may also reduce the width and height to meet `max_bytes`. */
  max_bytes_resize?: boolean | undefined
  /** Metadata of the source to keep: nothing (the default), creator and rights, or all except location, orientation, and thumbnails. */
  metadata?: 'none' | 'copyright' | 'all_but_location' | undefined
  destination?: Destination | undefined
  /** Format of the file. `avif` is only available here. Default: `jpg`. */
  format?: 'jpg' | 'png' | 'avif' | undefined
}

/** Runs a template of the account, which must be for this endpoint. */
export type TemplateParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Template of the account, such as `product@3`, or `product` for its newest version. */
  template: string
  /** Values of the variables of the template. */
  variables?: Record<string, string | number | boolean> | undefined
}

/** An operation on videos. */
export type VideoOperationParams = WatermarkOperationParams | BorderOperation | ResizeOperation | CropOperation | RotateOperation | FlipOperation | GrayscaleOperation

/** Body of videos/process. */
export type VideosProcessParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<VideoOperationParams>
  output?: VideoOutput | undefined
  /** Keeps only this many seconds from the start. Integer, 1 to 7200. */
  max_duration?: number | undefined
}

/** Body of videos/read. */
export type VideosReadParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
}

/** Body of videos/screenshot. */
export type VideosScreenshotParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. This library also accepts the file or the upload object itself. At most 2048 characters. */
  source: MediaSource
  /** URL for the webhook of this request, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer identifier, returned in responses, webhooks, and usage reports. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and values, returned in responses and webhooks. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Position in seconds from the start. Integer, 0 to 86400. */
  seconds: number
  output?: StillOutput | undefined
  /** Several files of the same source, instead of `output`. Each file costs the price of a request. 1 to 20 items. */
  outputs?: Array<StillOutputsParams> | undefined
}

/** Overlays an image, once or tiled, with optional diagonal lines. */
export type WatermarkOperationParams = {
  /** Always `watermark`. */
  type: 'watermark'
  /** The watermark, a JPEG, PNG, GIF, or WebP: a public http or https URL, or an upload. This library also accepts the file or the upload object itself. At most 2048 characters. */
  image_url: MediaSource
  /** Left edge of the overlay, in pixels from the left of the image. With `gravity`: margin or offset. Integer, -20000 to 20000. */
  x: number
  /** Top edge of the overlay, in pixels from the top of the image. With `gravity`: margin or offset. Integer, -20000 to 20000. */
  y: number
  /** Anchors the overlay: `x` and `y` are margins from these edges, or offsets from the center. */
  gravity?: 'north_west' | 'north' | 'north_east' | 'west' | 'center' | 'east' | 'south_west' | 'south' | 'south_east' | undefined
  /** Resizes the overlay: its longer side takes this percentage of the frame's shorter side. Integer, 1 to 100. */
  scale?: number | undefined
  /** Repeats the overlay to the right: the step in pixels between left edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_x?: number | undefined
  /** Repeats the overlay downwards: the step in pixels between top edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_y?: number | undefined
  /** Draws two lines from corner to corner in this color. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. */
  diagonal_lines_color?: string | undefined
  /** Opacity of the lines in percent; 100 by default. Integer, 0 to 100. */
  diagonal_lines_opacity?: number | undefined
}

/** The query parameters of a call. */
export type ListRequestsQuery = {
  /** Requests per page. Default: `20`. Integer, 1 to 100. */
  limit?: number | undefined
  /** Only requests with a lower id. */
  before?: number | undefined
  /** Only requests with this status. */
  status?: 'queued' | 'processing' | 'succeeded' | 'failed' | 'aborted' | undefined
  /** Only requests of this endpoint. */
  endpoint?: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | undefined
  /** Only requests of this customer. At most 64 characters. */
  customer?: string | undefined
  /** Only requests of live keys, or only requests of test keys. */
  livemode?: boolean | undefined
  /** Only requests accepted at or after this date in UTC, or time with its zone. */
  created_from?: string | undefined
  /** Only requests accepted at or before this time. A date includes the whole day. */
  created_to?: string | undefined
  /** Only requests with this value in `metadata`: `metadata[order]=1977`. At most 20 keys. */
  metadata?: Record<string, string> | undefined
}

/** The query parameters of a call. */
export type ListEventsQuery = {
  /** Events per page. Default: `20`. Integer, 1 to 100. */
  limit?: number | undefined
  /** Only events after this event. */
  after?: string | undefined
  /** Only the event of this request. */
  request_id?: number | undefined
}

/** The query parameters of a call. */
export type CreateUploadQuery = {
  /** File name for display only. It must have no control characters, bidi controls, `/`, or `\`, and must not be `.` or `..`. At most 255 characters. */
  filename?: string | undefined
}

/** The query parameters of a call. */
export type SendUploadQuery = {
  /** File name for display only. It must have no control characters, bidi controls, `/`, or `\`, and must not be `.` or `..`. At most 255 characters. */
  filename?: string | undefined
}

/** The query parameters of a call. */
export type ListTemplatesQuery = {
  /** Templates per page. Default: `20`. Integer, 1 to 100. */
  limit?: number | undefined
  /** Only templates after this one. */
  after?: string | undefined
}

/** The query parameters of a call. */
export type GetUsageQuery = {
  /** First day, UTC; 29 days ago by default. */
  from?: string | undefined
  /** Last day, UTC; today by default. */
  to?: string | undefined
  /** Grouping of the rows. Default: `day`. */
  group_by?: 'day' | 'endpoint' | 'customer' | 'status' | undefined
  /** Only requests of this customer. At most 64 characters. */
  customer?: string | undefined
}
