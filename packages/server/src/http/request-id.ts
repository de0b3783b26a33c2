import { randomBytes } from 'node:crypto'

/** Creates the id of a call, `req_…`, for the header `Request-Id`, `error.request_id`, and the log (api.headers.1). */
export const newRequestId = (): string => `req_${randomBytes(12).toString('hex')}`
