export type * from './api-types.ts'
export type { BatchOptions, BatchParams, BatchResult, EndpointName } from './batch/batch.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  GoneError,
  InvalidRequestError,
  NotFoundError,
  PaymentRequiredError,
  PermissionError,
  RateLimitedError,
  ServerError,
} from './errors/api-error.ts'
export { ConnectionError, TimeoutError } from './errors/connection-error.ts'
export { IntegrityError } from './errors/integrity-error.ts'
export { isMediamillError, MediamillError } from './errors/mediamill-error.ts'
export { RequestAbortedError, RequestFailedError, WaitTimeoutError } from './errors/request-errors.ts'
export type { Bytes } from './files/download-stream.ts'
export type { FileSource, MediaSource } from './files/media-source.ts'
export { openFile } from './files/open-file.ts'
export type { Downloadable, DownloadOptions, Made } from './files/result-file.ts'
export { DownloadableFile } from './files/result-file.ts'
export type { SendUploadOptions } from './files/send-upload.ts'
export { sendUpload } from './files/send-upload.ts'
export type { MediamillOptions } from './mediamill.ts'
export { Mediamill } from './mediamill.ts'
export type { UsageBy } from './resources/account.ts'
export type { FollowOptions, ListEventsOptions } from './resources/events.ts'
export type { Documents, Images, Videos } from './resources/media.ts'
export type { Page, Pages } from './resources/pages.ts'
export type { UploadOptions } from './resources/uploads.ts'
export type { ApiPromise, WithResponse } from './transport/api-promise.ts'
export type { WaitNotice } from './transport/throttle.ts'
export type { CallNotice, CallOptions } from './transport/transport.ts'
export { VERSION } from './version.ts'
export type { StartedRequest, StartWaitOptions } from './waiting/started-request.ts'
export type { Endpoint, StartOptions } from './waiting/starter.ts'
export type { WaitOptions } from './waiting/wait.ts'
