// Written by scripts/write-client-types.ts from docs/openapi.json: change that, not this.

import type { MediaSource } from './files/media-source.ts'

/** A request that its account stopped. It is not charged. */
export type AbortedRequest = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint that started it. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `aborted` here. */
  status: 'aborted'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: RequestInput
  /** What was charged: nothing. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at?: string | undefined
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** Who calls, and what it may do. */
export type Account = {
  /** Always `account`. */
  object: 'account'
  /** Identifier of the account. */
  id: number
  /** Its name. */
  name: string
  /** Where its owner is reached. */
  email: string
  /** `paid` once credit has been bought. */
  tier: 'free' | 'paid' | (string & {})
  /** What was paid in and not charged. */
  balance: Money
  /** What open requests hold of the balance until they end. */
  held: Money
  /** What new requests may hold: the balance without what is held. It can be negative. */
  available: Money
  /** Where finished requests are posted by default. */
  webhook_url: string | null
  /** Mode of the key used. */
  livemode: boolean
  limits: Limits
  /** Whether its calls are refused. */
  suspended: boolean
  /** When it was opened. */
  created_at: string
}

/** A refused call. */
export type ApiError = {
  error: ErrorDetails
}

/** Adds a border; the picture grows by its widths. */
export type BorderOperation = {
  /** Always `border`. */
  type: 'border'
  /** Width of the border above the picture, in pixels. Integer, 0 to 2000. */
  top: number
  /** Width of the border below the picture, in pixels. Integer, 0 to 2000. */
  bottom: number
  /** Width of the border left of the picture, in pixels. Integer, 0 to 2000. */
  left: number
  /** Width of the border right of the picture, in pixels. Integer, 0 to 2000. */
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

/** By kind of file. */
export type CatalogData = {
  /** What can be done with images. */
  image: CatalogMedium
  /** What can be done with videos. */
  video: CatalogMedium
  /** What can be done with PDFs. */
  document: CatalogMedium
}

/** What can be done with one kind of file. */
export type CatalogMedium = {
  /** Output formats, the default first. */
  formats: Array<string>
  /** Its operations, by name. */
  operations: Record<string, CatalogOperation>
}

/** An operation. */
export type CatalogOperation = {
  /** What it does. */
  description: string
  /** Its parameters, by name. */
  params: Record<string, CatalogParameter>
}

/** A parameter of an operation. */
export type CatalogParameter = {
  /** What it does. */
  description: string
  /** Whether it must be sent. */
  required: boolean
  /** What holds when it is not sent. */
  default?: unknown
  /** Its JSON type. */
  type: string
  /** Smallest value. */
  minimum?: number | undefined
  /** Largest value. */
  maximum?: number | undefined
  /** All values. */
  enum?: Array<unknown> | undefined
}

/** A file that is there and can be used. */
export type CompleteUpload = {
  /** Identifier of the upload. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always `complete` here. */
  status: 'complete'
  /** What to send as `source` or `image_url` to use it. */
  source: string
  /** As it was sent. */
  filename?: string | undefined
  /** Bytes of the file. */
  size: number
  /** SHA-256 of the file, in hex. */
  sha256: string
  /** What the file is by its content; null when we do not know. */
  format: string | null
  /** When it was begun. */
  created_at: string
  /** When it is deleted, unless an open request uses it then. */
  expires_at: string
}

/** Sets the quality of the jpg or webp written; formats without loss are left as they are. */
export type CompressOperation = {
  /** Always `compress`. */
  type: 'compress'
  /** Quality: lower makes a smaller file. Integer, 1 to 100. */
  quality: number
}

/** Cuts out a rectangle; what of it lies outside the picture is trimmed away. */
export type CropOperation = {
  /** Always `crop`. */
  type: 'crop'
  /** Left edge of the part to keep, in pixels from the left. Integer, 0 to 20000. */
  x: number
  /** Top edge of the part to keep, in pixels from the top. Integer, 0 to 20000. */
  y: number
  /** Width of the part to keep, in pixels. Integer, 1 to 20000. */
  width: number
  /** Height of the part to keep, in pixels. Integer, 1 to 20000. */
  height: number
}

/** An upload that is not there any more. */
export type DeletedUpload = {
  /** Identifier of the upload. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always true. */
  deleted: true
}

/** Where the file is put as well: a bucket of your own. */
export type Destination = {
  /** A public URL that is signed for a PUT. At most 2048 characters. */
  url: string
  /** Sent with the file: content-type, cache-control, content-disposition, x-amz-*, x-goog-*, x-ms-*. At most 20 keys. */
  headers?: Record<string, string> | undefined
}

/** An operation on documents. */
export type DocumentOperation = WatermarkOperation

/** How the result is written. */
export type DocumentOutput = {
  /** Format of the result. Default: `pdf`. */
  format?: 'pdf' | undefined
  destination?: Destination | undefined
  /** Whether JavaScript, actions that start programs, send or import data or open other files, and embedded files are removed from the result. Default: `remove`. */
  active_content?: 'remove' | 'keep' | undefined
}

/** Facts in `result.data` of documents/process. */
export type DocumentsProcessFacts = {
  /** Pages of the document. Integer, at least 0. */
  page_count: number
  page_size: PageSize
  /** Always `PDF`. */
  format: 'PDF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
}

/** What was sent to documents/process besides the source, without defaults. */
export type DocumentsProcessInput = {
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<DocumentOperation>
  output?: DocumentOutput | undefined
  /** Keep only the first that many pages. Integer, 1 to 2000. */
  max_pages?: number | undefined
}

/** A request of documents/process, from its acceptance to its end. */
export type DocumentsProcessRequest = QueuedRequest | ProcessingRequest | SucceededDocumentsProcess | FailedRequest | AbortedRequest

/** What documents/process made or found out. */
export type DocumentsProcessResult = {
  data: DocumentsProcessFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** Facts in `result.data` of documents/read. */
export type DocumentsReadFacts = {
  /** Pages of the document. Integer, at least 0. */
  page_count: number
  page_size: PageSize
  /** Always `PDF`. */
  format: 'PDF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** Version of the PDF standard that the file claims. */
  pdf_version: string
  /** Whether the file is encrypted; it opens without a password. */
  encrypted: boolean
  /** Whether pages are of different sizes. */
  page_sizes_vary: boolean
  /** Title in the metadata; null without one. */
  title: string | null
  /** Whether the file contains JavaScript, or an XFA form, which can contain scripts. */
  has_javascript: boolean
  /** Files embedded in the document. Integer, at least 0. */
  attachments: number
}

/** What was sent to documents/read besides the source, without defaults. */
export type DocumentsReadInput = Record<string, unknown>

/** A request of documents/read, from its acceptance to its end. */
export type DocumentsReadRequest = QueuedRequest | ProcessingRequest | SucceededDocumentsRead | FailedRequest | AbortedRequest

/** What documents/read made or found out. */
export type DocumentsReadResult = {
  data: DocumentsReadFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** Facts in `result.data` of documents/snapshot. */
export type DocumentsSnapshotFacts = {
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Format of the file made. */
  format: 'JPEG' | 'PNG' | 'WEBP' | 'GIF' | 'TIFF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** The page shown. */
  page: number
}

/** What was sent to documents/snapshot besides the source, without defaults. */
export type DocumentsSnapshotInput = {
  /** Page, counted from 1. Default: `1`. Integer, 1 to 2000. */
  page?: number | undefined
  output?: StillOutput | undefined
}

/** A request of documents/snapshot, from its acceptance to its end. */
export type DocumentsSnapshotRequest = QueuedRequest | ProcessingRequest | SucceededDocumentsSnapshot | FailedRequest | AbortedRequest

/** What documents/snapshot made or found out. */
export type DocumentsSnapshotResult = {
  data: DocumentsSnapshotFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** Why the call was refused. */
export type ErrorDetails = {
  /** The kind of error; it follows from the status. */
  type: 'authentication' | 'payment_required' | 'permission' | 'not_found' | 'conflict' | 'gone' | 'precondition_failed' | 'invalid_request' | 'rate_limited' | 'server_error' | (string & {})
  /** Stable; branch on it. The table of error codes tells them all. */
  code: 'missing_api_key' | 'invalid_api_key' | 'insufficient_credits' | 'paid_account_required' | 'account_suspended' | 'invalid_signature' | 'request_not_found' | 'not_found' | 'request_finished' | 'request_not_finished' | 'idempotency_key_reused' | 'idempotency_key_in_use' | 'upload_in_use' | 'upload_offset_mismatch' | 'result_expired' | 'upload_expired' | 'tus_version_unsupported' | 'content_type_unsupported' | 'range_not_satisfiable' | 'validation_failed' | 'url_invalid' | 'url_blocked' | 'url_unresolvable' | 'upload_not_found' | 'upload_incomplete' | 'upload_too_large' | 'rate_limited' | 'concurrency_limited' | 'test_mode_daily_limit' | 'upload_checksum_mismatch' | 'server_error' | (string & {})
  /** For people: what is wrong and what to do. */
  message: string
  /** Dotted path of the first invalid field. */
  param?: string | undefined
  /** Every invalid field, or every refused URL, in the order of the document. */
  errors?: Array<InvalidField> | undefined
  /** Page that tells what the code means, and what to do then. */
  doc_url: string
  /** The id of this call, also in the header Request-Id; quote it when you ask for help. */
  request_id: string
}

/** What a call would cost; asking starts and charges nothing. */
export type Estimate = {
  /** Always `estimate`. */
  object: 'estimate'
  /** The endpoint that was asked about. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** What its price is counted in. */
  unit: 'request' | 'started minute' | 'page' | (string & {})
  /** What one unit costs. */
  unit_price: Money
  units: EstimatedUnits
  price: EstimatedPrice
  /** Whether the credit that is available now lets it start. */
  affordable: boolean
}

/** What would be charged if it succeeds. */
export type EstimatedPrice = {
  /** The least that would be charged; zero in test mode. */
  minimum: Money
  /** The most; null where only the file can tell. */
  maximum: Money | null
}

/** How many units it would be. */
export type EstimatedUnits = {
  /** The least that it can be. */
  minimum: number
  /** The most; null where only the file can tell. */
  maximum: number | null
}

/** Where an event went. */
export type EventDelivery = {
  /** Where it is posted; null where there was no address at its end. */
  url: string | null
  /** `pending` until an attempt was answered with a 2xx status, `undelivered` after the last that was not, `unaddressed` without a URL. */
  status: 'pending' | 'delivered' | 'undelivered' | 'unaddressed' | (string & {})
  /** Attempts of this delivery that have ended. Integer, at least 0. */
  attempts: number
}

/** Events, the oldest first. */
export type EventList = {
  /** Always `list`. */
  object: 'list'
  /** Events, the oldest first. */
  data: Array<ListedEvent>
  /** Whether younger events follow. */
  has_more: boolean
}

/** Makes the picture brighter or darker by stops of light, and its contrast stronger or weaker; black and white stay. */
export type ExposureOperation = {
  /** Always `exposure`. */
  type: 'exposure'
  /** Bends the tones: 50 makes middle gray one stop brighter, -100 two stops darker. Default: `0`. Integer, -100 to 100. */
  brightness?: number | undefined
  /** Parts or gathers the tones around middle gray along an S-curve. Default: `0`. Integer, -100 to 100. */
  contrast?: number | undefined
}

/** A request that could not be processed. It is not charged. */
export type FailedRequest = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint that started it. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `failed` here. */
  status: 'failed'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: RequestInput
  error: Failure
  /** What was charged: nothing. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at?: string | undefined
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** Why a request failed. It is not charged. */
export type Failure = {
  /** Stable; branch on it. */
  code: 'url_blocked' | 'url_invalid' | 'url_unresolvable' | 'source_unreachable' | 'source_too_large' | 'unsupported_media' | 'encrypted_document' | 'processing_failed' | (string & {})
  /** For people: what was wrong and what to do. */
  message: string
  /** Index of the operation that could not be carried out, where one is to blame. */
  operation?: number | undefined
  /** Page that tells what the code means, and what to do then. */
  doc_url: string
}

/** Gives the picture one of 18 looks. */
export type FilterOperation = {
  /** Always `filter`. */
  type: 'filter'
  /** Name of the look. */
  name: 'amaro' | 'apollo' | 'brannan' | 'earlybird' | 'gotham' | 'hefe' | 'inkwell' | 'kelvin' | 'lomo' | 'nashville' | 'poprocket' | 'rise' | 'sierra' | 'toaster' | 'valencia' | 'walden' | 'willow' | 'xpro2'
  /** How much of the look, in percent; 0 leaves the picture as it is. Default: `100`. Integer, 0 to 100. */
  strength?: number | undefined
}

/** Mirrors the picture. */
export type FlipOperation = {
  /** Always `flip`. */
  type: 'flip'
  /** Mirror left and right. Default: `false`. */
  horizontal?: boolean | undefined
  /** Mirror top and bottom. Default: `false`. */
  vertical?: boolean | undefined
}

/** Takes the colour out of the picture. */
export type GrayscaleOperation = {
  /** Always `grayscale`. */
  type: 'grayscale'
}

/** An operation on images. */
export type ImageOperation = WatermarkOperation | BorderOperation | ResizeOperation | CropOperation | ThumbnailOperation | RotateOperation | FlipOperation | OrientOperation | GrayscaleOperation | SepiaOperation | ExposureOperation | FilterOperation | RemoveBackgroundOperation | CompressOperation

/** How the result is written. */
export type ImageOutput = {
  /** Format of the result. Default: `jpg`. */
  format?: 'jpg' | 'png' | 'webp' | 'gif' | 'tif' | undefined
  destination?: Destination | undefined
}

/** A picture for laying over others. */
export type ImageStamp = {
  /** Always `image`. */
  type: 'image'
  /** Public http or https URL, upload, or link to a result, of a picture in any format that is read. At most 2048 characters. */
  source: string
  /** Width in pixels before it is turned; its own when left out. Integer, 1 to 8000. */
  width?: number | undefined
  /** Opacity of the whole in percent, on top of its own. Default: `100`. Integer, 1 to 100. */
  opacity?: number | undefined
  /** Angle in degrees, clockwise; new corners are transparent. Default: `0`. Integer, -360 to 360. */
  rotation?: number | undefined
  /** Cut off a border of one colour, or of none, first. Default: `false`. */
  trim?: boolean | undefined
}

/** Facts in `result.data` of images/process. */
export type ImagesProcessFacts = {
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Format of the file made. */
  format: 'JPEG' | 'PNG' | 'WEBP' | 'GIF' | 'TIFF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
}

/** What was sent to images/process besides the source, without defaults. */
export type ImagesProcessInput = {
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<ImageOperation>
  output?: ImageOutput | undefined
}

/** A request of images/process, from its acceptance to its end. */
export type ImagesProcessRequest = QueuedRequest | ProcessingRequest | SucceededImagesProcess | FailedRequest | AbortedRequest

/** What images/process made or found out. */
export type ImagesProcessResult = {
  data: ImagesProcessFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** Facts in `result.data` of images/read. */
export type ImagesReadFacts = {
  /** Frames of an animation, pages of a TIFF, else 1. */
  frames: number
  /** Where the first row and the first column are shown, from EXIF; `TopLeft` is upright. */
  orientation: 'Undefined' | 'TopLeft' | 'TopRight' | 'BottomRight' | 'BottomLeft' | 'LeftTop' | 'RightTop' | 'RightBottom' | 'LeftBottom' | (string & {})
  /** Format of the file, judged by its content. */
  format: 'JPEG' | 'PNG' | 'GIF' | 'WEBP' | 'TIFF' | 'BMP' | 'HEIC' | 'AVIF' | (string & {})
  /** Colour model of the stored pixels. */
  colorspace: 'sRGB' | 'CMYK' | 'Gray' | 'Lab' | (string & {})
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
}

/** What was sent to images/read besides the source, without defaults. */
export type ImagesReadInput = Record<string, unknown>

/** A request of images/read, from its acceptance to its end. */
export type ImagesReadRequest = QueuedRequest | ProcessingRequest | SucceededImagesRead | FailedRequest | AbortedRequest

/** What images/read made or found out. */
export type ImagesReadResult = {
  data: ImagesReadFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** One invalid field or refused URL of a call. */
export type InvalidField = {
  /** Dotted path of the field. */
  param: string
  /** What is wrong with it. */
  code: 'required' | 'invalid_type' | 'invalid_value' | 'out_of_range' | 'too_short' | 'too_long' | 'unknown_parameter' | 'unknown_operation' | 'not_supported_for_media' | 'url_invalid' | 'url_blocked' | 'url_unresolvable' | 'upload_not_found' | 'upload_incomplete' | (string & {})
  /** For people: what is wrong and what is allowed. */
  message: string
}

/** What the key used may do. */
export type Limits = {
  /** Calls in any 60 seconds. */
  requests_per_minute: number
  /** Requests queued or processing at once. */
  concurrent_requests: number
  /** Size of the largest source in bytes. */
  max_source_bytes: number
}

/** An event, and where it went; `type` says how the request has ended. */
export type ListedEvent = RequestSucceededListedEvent | RequestFailedListedEvent | RequestAbortedListedEvent

/** One call to a processing endpoint, from its acceptance to its end. `status` says which fields it has. Only `succeeded` is charged. */
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

/** A watermark image to be made; `type` says from what. */
export type NewStamp = TextStamp | ImageStamp

/** Asks for a URL that a browser can send a file to. */
export type NewUpload = {
  /** Echoed; nothing depends on it. No control characters, bidi controls included, `/`, or `\`, and not `.` or `..`. At most 255 characters. */
  filename?: string | undefined
  /** Bytes of the file; at most the key's `max_source_bytes`. Integer, at least 1. */
  size: number
  /** The web page that sends the file: the only origin whose browser may use the URL. */
  origin?: string | undefined
}

/** Turns the pixels upright according to the EXIF orientation. */
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
  /** Always `pt`: a point is 1/72 inch. */
  unit: 'pt'
}

/** A request that is being worked on. */
export type ProcessingRequest = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint that started it. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `processing` here. */
  status: 'processing'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: RequestInput
  /** Percent done; on video requests. Only grows. Integer, 0 to 100. */
  progress?: number | undefined
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
}

/** A request that waits for a worker. */
export type QueuedRequest = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** The endpoint that started it. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** Always `queued` here. */
  status: 'queued'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: RequestInput
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
}

/** Makes the top-left corner's colour and colours near it transparent, white where the output is not png or webp. */
export type RemoveBackgroundOperation = {
  /** Always `remove_background`. */
  type: 'remove_background'
  /** How far from the corner colour still counts as background, in percent. Integer, 0 to 100. */
  tolerance: number
  /** Over how many pixels the cut edge fades inwards. Default: `0`. Integer, 0 to 10. */
  blur?: number | undefined
}

/** A request has ended `aborted`. */
export type RequestAbortedEvent = {
  /** The same on every retry: ignore one that you have seen. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.aborted` here. */
  type: 'request.aborted'
  /** When the request finished, in Unix time. */
  created: number
  data: AbortedRequest
}

/** A request has ended `aborted`, and where its event went. */
export type RequestAbortedListedEvent = {
  /** The same on every retry: ignore one that you have seen. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.aborted` here. */
  type: 'request.aborted'
  /** When the request finished, in Unix time. */
  created: number
  data: AbortedRequest
  delivery: EventDelivery
}

/** A request has ended `failed`. */
export type RequestFailedEvent = {
  /** The same on every retry: ignore one that you have seen. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.failed` here. */
  type: 'request.failed'
  /** When the request finished, in Unix time. */
  created: number
  data: FailedRequest
}

/** A request has ended `failed`, and where its event went. */
export type RequestFailedListedEvent = {
  /** The same on every retry: ignore one that you have seen. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.failed` here. */
  type: 'request.failed'
  /** When the request finished, in Unix time. */
  created: number
  data: FailedRequest
  delivery: EventDelivery
}

/** What was sent besides the source: operations, output and own fields. */
export type RequestInput = ImagesProcessInput | ImagesReadInput | VideosProcessInput | VideosReadInput | VideosScreenshotInput | DocumentsProcessInput | DocumentsReadInput | DocumentsSnapshotInput

/** Requests, the newest first. */
export type RequestList = {
  /** Always `list`. */
  object: 'list'
  /** Requests, the newest first. */
  data: Array<MediaRequest>
  /** Whether older requests follow. */
  has_more: boolean
}

/** A request has ended `succeeded`. */
export type RequestSucceededEvent = {
  /** The same on every retry: ignore one that you have seen. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.succeeded` here. */
  type: 'request.succeeded'
  /** When the request finished, in Unix time. */
  created: number
  data: SucceededRequest
}

/** A request has ended `succeeded`, and where its event went. */
export type RequestSucceededListedEvent = {
  /** The same on every retry: ignore one that you have seen. */
  id: string
  /** Always `event`. */
  object: 'event'
  /** Always `request.succeeded` here. */
  type: 'request.succeeded'
  /** When the request finished, in Unix time. */
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

/** A file that a request made. */
export type ResultFile = {
  /** Signed download link; whoever has it can download the file. */
  url: string
  /** When the link stops working: when the file is deleted. */
  url_expires_at: string
  /** File format, lower case. */
  format: 'jpg' | 'png' | 'webp' | 'gif' | 'tif' | 'mp4' | 'pdf' | (string & {})
  /** Size in bytes. */
  size: number | null
  /** SHA-256 of the file, in hex. */
  sha256: string
}

/** Turns the picture clockwise by any angle, then mirrors it; it grows to hold what was turned. */
export type RotateOperation = {
  /** Always `rotate`. */
  type: 'rotate'
  /** Angle in degrees, clockwise; a negative one turns the other way. Integer, -360 to 360. */
  degrees: number
  /** Mirror left and right after turning. Default: `false`. */
  flip_horizontal?: boolean | undefined
  /** Mirror top and bottom after turning. Default: `false`. */
  flip_vertical?: boolean | undefined
}

/** Gives the picture the brown tone of an old photograph. */
export type SepiaOperation = {
  /** Always `sepia`. */
  type: 'sepia'
  /** Strength of the tone in percent; 0 leaves the picture as it is. Integer, 0 to 100. */
  threshold: number
}

/** An upload that holds a PNG with transparency, and its size. */
export type Stamp = {
  /** Identifier of the upload. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always `complete` here. */
  status: 'complete'
  /** What to send as `source` or `image_url` to use it. */
  source: string
  /** As it was sent. */
  filename?: string | undefined
  /** Bytes of the file. */
  size: number
  /** SHA-256 of the file, in hex. */
  sha256: string
  /** What the file is by its content; null when we do not know. */
  format: string | null
  /** When it was begun. */
  created_at: string
  /** When it is deleted, unless an open request uses it then. */
  expires_at: string
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
}

/** How the result is written. */
export type StillOutput = {
  /** Format of the result. Default: `jpg`. */
  format?: 'jpg' | 'png' | undefined
  destination?: Destination | undefined
}

/** A request of documents/process that succeeded. */
export type SucceededDocumentsProcess = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `documents/process` here. */
  endpoint: 'documents/process'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: DocumentsProcessInput
  result: DocumentsProcessResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of documents/read that succeeded. */
export type SucceededDocumentsRead = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `documents/read` here. */
  endpoint: 'documents/read'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: DocumentsReadInput
  result: DocumentsReadResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of documents/snapshot that succeeded. */
export type SucceededDocumentsSnapshot = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `documents/snapshot` here. */
  endpoint: 'documents/snapshot'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: DocumentsSnapshotInput
  result: DocumentsSnapshotResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of images/process that succeeded. */
export type SucceededImagesProcess = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `images/process` here. */
  endpoint: 'images/process'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: ImagesProcessInput
  result: ImagesProcessResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of images/read that succeeded. */
export type SucceededImagesRead = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `images/read` here. */
  endpoint: 'images/read'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: ImagesReadInput
  result: ImagesReadResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request that succeeded; `endpoint` says what its result holds. */
export type SucceededRequest = SucceededImagesProcess | SucceededImagesRead | SucceededVideosProcess | SucceededVideosRead | SucceededVideosScreenshot | SucceededDocumentsProcess | SucceededDocumentsRead | SucceededDocumentsSnapshot

/** A request of videos/process that succeeded. */
export type SucceededVideosProcess = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `videos/process` here. */
  endpoint: 'videos/process'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: VideosProcessInput
  result: VideosProcessResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of videos/read that succeeded. */
export type SucceededVideosRead = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `videos/read` here. */
  endpoint: 'videos/read'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: VideosReadInput
  result: VideosReadResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A request of videos/screenshot that succeeded. */
export type SucceededVideosScreenshot = {
  /** Identifier of the request. */
  id: number
  /** Always `request`. */
  object: 'request'
  /** Always `videos/screenshot` here. */
  endpoint: 'videos/screenshot'
  /** Always `succeeded` here. */
  status: 'succeeded'
  /** False when a test key made it. */
  livemode: boolean
  /** The URL of the source, or the upload that it is. */
  source: string
  input: VideosScreenshotInput
  result: VideosScreenshotResult
  /** What was charged; zero in test mode. */
  price: Money
  /** Your own customer, as it was sent. */
  customer?: string | undefined
  /** Your own keys and texts, as they were sent. */
  metadata?: Record<string, string> | undefined
  /** When it was accepted. */
  created_at: string
  /** When work on it began. */
  started_at: string
  /** When it finished. */
  completed_at: string
  timings?: Timings | undefined
}

/** A text as a picture. */
export type TextStamp = {
  /** Always `text`. */
  type: 'text'
  /** What is drawn, each line behind `\n`. It is text and never markup. Letters of any script that our fonts have. 1 to 200 characters. */
  text: string
  /** Font of what it has; others of ours fill in. Default: `arimo`. */
  font?: 'arimo' | 'arimo_bold' | 'arimo_italic' | 'arimo_bold_italic' | 'tinos' | 'tinos_bold' | 'tinos_italic' | 'tinos_bold_italic' | 'cousine' | 'cousine_bold' | 'cousine_italic' | 'cousine_bold_italic' | 'courier_prime' | 'courier_prime_bold' | 'courier_prime_italic' | 'courier_prime_bold_italic' | undefined
  /** Size of the font in pixels. Default: `48`. Integer, 4 to 1000. */
  size?: number | undefined
  /** Colour of the letters. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. Default: `ffffff`. */
  color?: string | undefined
  /** Opacity of the whole in percent. Default: `100`. Integer, 1 to 100. */
  opacity?: number | undefined
  /** Angle in degrees, clockwise; new corners are transparent. Default: `0`. Integer, -360 to 360. */
  rotation?: number | undefined
  /** A rim around the letters; none when left out. */
  outline?: {
    /** Colour of the rim. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. Default: `000000`. */
    color?: string | undefined
    /** Width of the rim in pixels. Default: `2`. Integer, 1 to 50. */
    width?: number | undefined
  } | undefined
  /** A shadow behind letters and rim; none when left out. */
  shadow?: {
    /** Colour of the shadow. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. Default: `000000`. */
    color?: string | undefined
    /** Opacity of the shadow in percent. Default: `50`. Integer, 1 to 100. */
    opacity?: number | undefined
    /** How far it lies to the right, in pixels. Default: `2`. Integer, -200 to 200. */
    x?: number | undefined
    /** How far it lies below, in pixels. Default: `2`. Integer, -200 to 200. */
    y?: number | undefined
    /** How soft it is, in pixels; 0 is sharp. Default: `4`. Integer, 0 to 100. */
    blur?: number | undefined
  } | undefined
  /** Side that the lines keep to. Default: `left`. */
  align?: 'left' | 'center' | 'right' | undefined
}

/** Makes a small picture that fits a box, compressed and without metadata. */
export type ThumbnailOperation = {
  /** Always `thumbnail`. */
  type: 'thumbnail'
  /** Width of the box, in pixels. Integer, 1 to 4000. */
  width: number
  /** Height of the box, in pixels; in proportion to the width when left out. Integer, 1 to 4000. */
  height?: number | undefined
  /** Quality of the jpg or webp written. Integer, 1 to 100. */
  quality?: number | undefined
}

/** How long each stage of the attempt that ended the request took, in milliseconds. */
export type Timings = {
  /** From the acceptance to the beginning of that attempt. Integer, at least 0. */
  queued_ms: number
  /** Until the source and the watermark images were there; 0 when it did not come to that. Integer, at least 0. */
  download_ms: number
  /** Until the result was made. Integer, at least 0. */
  process_ms: number
  /** Until the result was stored. Integer, at least 0. */
  store_ms: number
  /** From the acceptance to the end. Integer, at least 0. */
  total_ms: number
}

/** A file that a client sent, or is to send; `status` says which. */
export type Upload = CompleteUpload | WaitingUpload

/** What requests came to, by a group. */
export type Usage = UsageByDay | UsageByEndpoint | UsageByCustomer | UsageByStatus

/** What requests came to, by customer. */
export type UsageByCustomer = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** What the rows are keyed by. */
  group_by: 'customer'
  /** A row for each customer that has requests, ascending. */
  data: Array<UsageByCustomerRow>
}

/** The sums of one customer. */
export type UsageByCustomerRow = {
  /** The customer; null for requests without one. */
  customer: string | null
  /** All requests, whatever became of them. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** What was charged: dollars with six decimals. */
  spent: string
  /** The same in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Bytes of the files made. */
  result_bytes: number
}

/** What requests came to, by day. */
export type UsageByDay = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** What the rows are keyed by. */
  group_by: 'day'
  /** A row for each day that has requests, ascending. */
  data: Array<UsageByDayRow>
}

/** The sums of one day. */
export type UsageByDayRow = {
  /** The day, UTC. */
  day: string
  /** All requests, whatever became of them. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** What was charged: dollars with six decimals. */
  spent: string
  /** The same in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Bytes of the files made. */
  result_bytes: number
}

/** What requests came to, by endpoint. */
export type UsageByEndpoint = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** What the rows are keyed by. */
  group_by: 'endpoint'
  /** A row for each endpoint that has requests, ascending. */
  data: Array<UsageByEndpointRow>
}

/** The sums of one endpoint. */
export type UsageByEndpointRow = {
  /** The endpoint. */
  endpoint: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | (string & {})
  /** All requests, whatever became of them. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** What was charged: dollars with six decimals. */
  spent: string
  /** The same in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Bytes of the files made. */
  result_bytes: number
}

/** What requests came to, by status. */
export type UsageByStatus = {
  /** Always `usage`. */
  object: 'usage'
  /** First day, UTC. */
  from: string
  /** Last day, UTC. */
  to: string
  /** What the rows are keyed by. */
  group_by: 'status'
  /** A row for each status that has requests, ascending. */
  data: Array<UsageByStatusRow>
}

/** The sums of one status. */
export type UsageByStatusRow = {
  /** The status. */
  status: 'queued' | 'processing' | 'succeeded' | 'failed' | 'aborted' | (string & {})
  /** All requests, whatever became of them. */
  requests: number
  /** Requests that succeeded. */
  succeeded: number
  /** Requests that failed. */
  failed: number
  /** What was charged: dollars with six decimals. */
  spent: string
  /** The same in millionths of a dollar. */
  spent_micro_usd: number
  /** Bytes downloaded. */
  source_bytes: number
  /** Bytes of the files made. */
  result_bytes: number
}

/** An operation on videos. */
export type VideoOperation = WatermarkOperation | BorderOperation | ResizeOperation | CropOperation | RotateOperation | FlipOperation | GrayscaleOperation

/** How the result is written. */
export type VideoOutput = {
  /** Format of the result. Default: `mp4`. */
  format?: 'mp4' | undefined
  destination?: Destination | undefined
}

/** Facts in `result.data` of videos/process. */
export type VideosProcessFacts = {
  /** Length in seconds, at most 3 decimals. At least 0. */
  duration: number
  /** Codec of the video stream, by the name ffprobe gives it. */
  codec: string
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Frames a second, on average. At least 0. */
  frame_rate: number
  /** Bits a second of the whole file. Integer, at least 0. */
  bitrate: number
  /** Codec of the audio stream, by the name ffprobe gives it; null without audio. */
  audio_codec: string | null
  /** Container format of the file. */
  format: 'MP4' | 'MOV' | 'WEBM' | 'MKV' | 'AVI' | 'FLV' | 'MPEG' | 'MPEGTS' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
}

/** What was sent to videos/process besides the source, without defaults. */
export type VideosProcessInput = {
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<VideoOperation>
  output?: VideoOutput | undefined
  /** Keep only the first that many seconds. Integer, 1 to 7200. */
  max_duration?: number | undefined
}

/** A request of videos/process, from its acceptance to its end. */
export type VideosProcessRequest = QueuedRequest | ProcessingRequest | SucceededVideosProcess | FailedRequest | AbortedRequest

/** What videos/process made or found out. */
export type VideosProcessResult = {
  data: VideosProcessFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** Facts in `result.data` of videos/read. */
export type VideosReadFacts = {
  /** Length in seconds, at most 3 decimals. At least 0. */
  duration: number
  /** Codec of the video stream, by the name ffprobe gives it. */
  codec: string
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Frames a second, on average. At least 0. */
  frame_rate: number
  /** Bits a second of the whole file. Integer, at least 0. */
  bitrate: number
  /** Codec of the audio stream, by the name ffprobe gives it; null without audio. */
  audio_codec: string | null
  /** Container format of the file. */
  format: 'MP4' | 'MOV' | 'WEBM' | 'MKV' | 'AVI' | 'FLV' | 'MPEG' | 'MPEGTS' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** Degrees clockwise that players turn the stored picture by. */
  rotation: number
  /** Audio channels; null without audio. */
  audio_channels: number | null
  /** Audio samples a second; null without audio. */
  audio_sample_rate: number | null
}

/** What was sent to videos/read besides the source, without defaults. */
export type VideosReadInput = Record<string, unknown>

/** A request of videos/read, from its acceptance to its end. */
export type VideosReadRequest = QueuedRequest | ProcessingRequest | SucceededVideosRead | FailedRequest | AbortedRequest

/** What videos/read made or found out. */
export type VideosReadResult = {
  data: VideosReadFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** Facts in `result.data` of videos/screenshot. */
export type VideosScreenshotFacts = {
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Format of the file made. */
  format: 'JPEG' | 'PNG' | 'WEBP' | 'GIF' | 'TIFF' | (string & {})
  /** Size of the file in bytes. Integer, at least 0. */
  size: number
  /** The moment that was asked for. Integer, at least 0. */
  seconds: number
}

/** What was sent to videos/screenshot besides the source, without defaults. */
export type VideosScreenshotInput = {
  /** Moment in seconds from the start. Integer, 0 to 86400. */
  seconds: number
  output?: StillOutput | undefined
}

/** A request of videos/screenshot, from its acceptance to its end. */
export type VideosScreenshotRequest = QueuedRequest | ProcessingRequest | SucceededVideosScreenshot | FailedRequest | AbortedRequest

/** What videos/screenshot made or found out. */
export type VideosScreenshotResult = {
  data: VideosScreenshotFacts
  /** The files made; none by a read. */
  files: Array<ResultFile>
  /** When the files are deleted; reads, which make none, carry it too. */
  deleted_at?: string | undefined
}

/** A file that is still to come. */
export type WaitingUpload = {
  /** Identifier of the upload. */
  id: string
  /** Always `upload`. */
  object: 'upload'
  /** Always `waiting` here. */
  status: 'waiting'
  /** What to send as `source` or `image_url` to use it. */
  source: string
  /** As it was sent. */
  filename?: string | undefined
  /** Bytes of the file. */
  size: number
  /** Bytes that came so far. */
  received: number
  /** Signed URL to send the file to, without a key: by PUT, or resumable by tus 1.0. */
  upload_url: string
  /** When it was begun. */
  created_at: string
  /** When it is deleted, unless an open request uses it then. */
  expires_at: string
}

/** Lays an image over the picture at its own size, once or tiled, with diagonal lines if wanted. */
export type WatermarkOperation = {
  /** Always `watermark`. */
  type: 'watermark'
  /** Public http or https URL, or upload, of a JPEG, PNG, GIF or WebP, drawn at its own size. At most 2048 characters. */
  image_url: string
  /** Left edge of the overlay, in pixels from the left of the picture; may lie outside it. Integer, -20000 to 20000. */
  x: number
  /** Top edge of the overlay, in pixels from the top of the picture; may lie outside it. Integer, -20000 to 20000. */
  y: number
  /** Repeats the overlay to the right: the step in pixels between left edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_x?: number | undefined
  /** Repeats the overlay downwards: the step in pixels between top edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_y?: number | undefined
  /** Draws two lines from corner to corner in this colour. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. */
  diagonal_lines_color?: string | undefined
  /** Opacity of the lines in percent; 100 when left out. Integer, 0 to 100. */
  diagonal_lines_opacity?: number | undefined
}

/** A request has finished; `type` says how. */
export type WebhookEvent = RequestSucceededEvent | RequestFailedEvent | RequestAbortedEvent

/** An operation on documents. */
export type DocumentOperationParams = WatermarkOperationParams

/** What documents/process takes. */
export type DocumentsProcessParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<DocumentOperationParams>
  output?: DocumentOutput | undefined
  /** Keep only the first that many pages. Integer, 1 to 2000. */
  max_pages?: number | undefined
}

/** What documents/read takes. */
export type DocumentsReadParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
}

/** What documents/snapshot takes. */
export type DocumentsSnapshotParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Page, counted from 1. Default: `1`. Integer, 1 to 2000. */
  page?: number | undefined
  output?: StillOutput | undefined
}

/** An operation on images. */
export type ImageOperationParams = WatermarkOperationParams | BorderOperation | ResizeOperation | CropOperation | ThumbnailOperation | RotateOperation | FlipOperation | OrientOperation | GrayscaleOperation | SepiaOperation | ExposureOperation | FilterOperation | RemoveBackgroundOperation | CompressOperation

/** A picture for laying over others. */
export type ImageStampParams = {
  /** Always `image`. */
  type: 'image'
  /** Public http or https URL, upload, or link to a result, of a picture in any format that is read. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Width in pixels before it is turned; its own when left out. Integer, 1 to 8000. */
  width?: number | undefined
  /** Opacity of the whole in percent, on top of its own. Default: `100`. Integer, 1 to 100. */
  opacity?: number | undefined
  /** Angle in degrees, clockwise; new corners are transparent. Default: `0`. Integer, -360 to 360. */
  rotation?: number | undefined
  /** Cut off a border of one colour, or of none, first. Default: `false`. */
  trim?: boolean | undefined
}

/** What images/process takes. */
export type ImagesProcessParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<ImageOperationParams>
  output?: ImageOutput | undefined
}

/** What images/read takes. */
export type ImagesReadParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
}

/** A watermark image to be made; `type` says from what. */
export type NewStampParams = TextStamp | ImageStampParams

/** An operation on videos. */
export type VideoOperationParams = WatermarkOperationParams | BorderOperation | ResizeOperation | CropOperation | RotateOperation | FlipOperation | GrayscaleOperation

/** What videos/process takes. */
export type VideosProcessParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Operations, run in order from the first to the last. 1 to 20 items. */
  operations: Array<VideoOperationParams>
  output?: VideoOutput | undefined
  /** Keep only the first that many seconds. Integer, 1 to 7200. */
  max_duration?: number | undefined
}

/** What videos/read takes. */
export type VideosReadParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
}

/** What videos/screenshot takes. */
export type VideosScreenshotParams = {
  /** Public http or https URL of the file, or an upload: `upload:upl_…`. Or the file itself, or an upload. At most 2048 characters. */
  source: MediaSource
  /** Where the finished request is posted, instead of the account's. At most 2048 characters. */
  webhook_url?: string | undefined
  /** Your own customer, echoed and used to group usage. At most 64 characters. */
  customer?: string | undefined
  /** Your own keys and texts, echoed. At most 20 keys. */
  metadata?: Record<string, string> | undefined
  /** Moment in seconds from the start. Integer, 0 to 86400. */
  seconds: number
  output?: StillOutput | undefined
}

/** Lays an image over the picture at its own size, once or tiled, with diagonal lines if wanted. */
export type WatermarkOperationParams = {
  /** Always `watermark`. */
  type: 'watermark'
  /** Public http or https URL, or upload, of a JPEG, PNG, GIF or WebP, drawn at its own size. Or the file itself, or an upload. At most 2048 characters. */
  image_url: MediaSource
  /** Left edge of the overlay, in pixels from the left of the picture; may lie outside it. Integer, -20000 to 20000. */
  x: number
  /** Top edge of the overlay, in pixels from the top of the picture; may lie outside it. Integer, -20000 to 20000. */
  y: number
  /** Repeats the overlay to the right: the step in pixels between left edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_x?: number | undefined
  /** Repeats the overlay downwards: the step in pixels between top edges. 0 does not repeat. 0 to 20000. */
  tile_spacing_y?: number | undefined
  /** Draws two lines from corner to corner in this colour. Hex: `#rgb`, `#rrggbb`, or `#rrggbbaa`. */
  diagonal_lines_color?: string | undefined
  /** Opacity of the lines in percent; 100 when left out. Integer, 0 to 100. */
  diagonal_lines_opacity?: number | undefined
}

/** What the list or the report is narrowed to. */
export type ListRequestsQuery = {
  /** Requests on a page. Default: `20`. Integer, 1 to 100. */
  limit?: number | undefined
  /** Only requests with an id lower than this. */
  before?: number | undefined
  /** Only requests in this status. */
  status?: 'queued' | 'processing' | 'succeeded' | 'failed' | 'aborted' | undefined
  /** Only requests of this endpoint. */
  endpoint?: 'images/process' | 'images/read' | 'videos/process' | 'videos/read' | 'videos/screenshot' | 'documents/process' | 'documents/read' | 'documents/snapshot' | undefined
  /** Only requests of this customer. At most 64 characters. */
  customer?: string | undefined
  /** Only requests of live keys, or only those of test keys. */
  livemode?: boolean | undefined
  /** Only requests that were accepted then or later: a date in UTC, or a time with its zone. */
  created_from?: string | undefined
  /** Only requests that were accepted then or earlier; of a date the whole day counts. */
  created_to?: string | undefined
  /** Only requests with this text under this key: `metadata[order]=1977`. At most 20 keys. */
  metadata?: Record<string, string> | undefined
}

/** What the list or the report is narrowed to. */
export type ListEventsQuery = {
  /** Events on a page. Default: `20`. Integer, 1 to 100. */
  limit?: number | undefined
  /** Only events behind this one. */
  after?: string | undefined
  /** Only the event of this request. */
  request_id?: number | undefined
}

/** What the list or the report is narrowed to. */
export type GetUsageQuery = {
  /** First day, UTC; 29 days ago by default. */
  from?: string | undefined
  /** Last day, UTC; today by default. */
  to?: string | undefined
  /** What the rows are keyed by. Default: `day`. */
  group_by?: 'day' | 'endpoint' | 'customer' | 'status' | undefined
  /** Only the requests of this customer. At most 64 characters. */
  customer?: string | undefined
}
