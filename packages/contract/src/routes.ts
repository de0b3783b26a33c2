import { ENDPOINTS } from './endpoints/index.ts'
import type { Route } from './route.ts'
import { getAccount, getUsage, listOperations } from './routes/account.ts'
import { listEvents } from './routes/events.ts'
import { estimateRoute, processingRoute } from './routes/processing.ts'
import {
  abortRequest,
  deleteFiles,
  downloadResult,
  getRequest,
  listRequests,
  streamRequest,
} from './routes/requests.ts'
import { createStamp } from './routes/stamps.ts'
import { createTemplate, deleteTemplate, getTemplate, listTemplates } from './routes/templates.ts'
import { createUpload, deleteUpload, getUpload, sendUpload, UPLOAD_CONTENT } from './routes/uploads.ts'

/** The version of the API. It does not depend on the version of the server software (api.versions.2). */
export const API_VERSION = '1.0.0'

export const ROUTES: readonly Route[] = [
  ...ENDPOINTS.map(processingRoute),
  ...ENDPOINTS.map(estimateRoute),
  listRequests,
  getRequest,
  streamRequest,
  abortRequest,
  deleteFiles,
  downloadResult,
  listEvents,
  createUpload,
  sendUpload,
  getUpload,
  deleteUpload,
  createStamp,
  ...UPLOAD_CONTENT,
  createTemplate,
  listTemplates,
  getTemplate,
  deleteTemplate,
  getAccount,
  getUsage,
  listOperations,
]
