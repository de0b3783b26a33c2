import type {
  DocumentsProcessParams,
  DocumentsProcessRequest,
  DocumentsReadParams,
  DocumentsReadRequest,
  DocumentsSnapshotParams,
  DocumentsSnapshotRequest,
  ImagesProcessParams,
  ImagesProcessRequest,
  ImagesReadParams,
  ImagesReadRequest,
  SucceededDocumentsProcess,
  SucceededDocumentsRead,
  SucceededDocumentsSnapshot,
  SucceededImagesProcess,
  SucceededImagesRead,
  SucceededVideosProcess,
  SucceededVideosRead,
  SucceededVideosScreenshot,
  TemplateParams,
  VideosProcessParams,
  VideosProcessRequest,
  VideosReadParams,
  VideosReadRequest,
  VideosScreenshotParams,
  VideosScreenshotRequest,
} from '../api-types.ts'
import type { Downloadable, Made } from '../files/result-file.ts'
import type { Endpoint } from '../waiting/starter.ts'

/** The parameters of an endpoint, or a template in place of the fields that a template stores. */
type OrTemplate<P> =
  | (P & { template?: undefined; variables?: undefined })
  | (TemplateParams & { [Field in Exclude<keyof P, keyof TemplateParams>]?: undefined })

/** Endpoints for images. */
export type Images = {
  /**
   * Runs operations on an image in order, and encodes the result in a format of your choice.
   * @example
   * const { result } = await mediamill.images
   *   .process({ source: await openFile('photo.jpg'), operations: [{ type: 'resize', width: 800, height: 800 }] })
   *   .wait()
   */
  process: Endpoint<OrTemplate<ImagesProcessParams>, ImagesProcessRequest, Made<SucceededImagesProcess>>
  /**
   * Returns metadata of an image: its format, size, and orientation.
   * @example const { result } = await mediamill.images.read({ source: 'https://example.com/photo.jpg' }).wait()
   */
  read: Endpoint<ImagesReadParams, ImagesReadRequest, Downloadable<SucceededImagesRead>>
}

/** Endpoints for videos. They require an account that has bought credit. */
export type Videos = {
  /**
   * Runs operations on a video in order, and encodes the result as MP4.
   * @example await mediamill.videos.process({ source, operations: [{ type: 'grayscale' }], max_duration: 60 }).wait()
   */
  process: Endpoint<OrTemplate<VideosProcessParams>, VideosProcessRequest, Made<SucceededVideosProcess>>
  /**
   * Returns metadata of a video: its duration, codecs, size, and frame rate.
   * @example const { result } = await mediamill.videos.read({ source: 'https://example.com/clip.mp4' }).wait()
   */
  read: Endpoint<VideosReadParams, VideosReadRequest, Downloadable<SucceededVideosRead>>
  /**
   * Creates an image of one frame of a video.
   * @example await mediamill.videos.screenshot({ source, seconds: 12, output: { format: 'png' } }).wait()
   */
  screenshot: Endpoint<OrTemplate<VideosScreenshotParams>, VideosScreenshotRequest, Made<SucceededVideosScreenshot>>
}

/** Endpoints for PDFs. */
export type Documents = {
  /**
   * Runs operations in order on every page of a PDF.
   * @example await mediamill.documents.process({ source, operations: [{ type: 'watermark', image_url, x: 40, y: 40 }] }).wait()
   */
  process: Endpoint<OrTemplate<DocumentsProcessParams>, DocumentsProcessRequest, Made<SucceededDocumentsProcess>>
  /**
   * Returns metadata of a PDF: its pages, their sizes, and its title.
   * @example const { result } = await mediamill.documents.read({ source: 'https://example.com/offer.pdf' }).wait()
   */
  read: Endpoint<DocumentsReadParams, DocumentsReadRequest, Downloadable<SucceededDocumentsRead>>
  /**
   * Creates an image of one page of a PDF.
   * @example await mediamill.documents.snapshot({ source, page: 1 }).wait()
   */
  snapshot: Endpoint<OrTemplate<DocumentsSnapshotParams>, DocumentsSnapshotRequest, Made<SucceededDocumentsSnapshot>>
}
