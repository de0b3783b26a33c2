import { ENDPOINTS } from './endpoints/index.ts'
import type { Route } from './route.ts'
import { abortRequest } from './routes/abort-request.ts'
import { createStamp } from './routes/create-stamp.ts'
import { createUpload } from './routes/create-upload.ts'
import { deleteFiles } from './routes/delete-files.ts'
import { deleteUpload } from './routes/delete-upload.ts'
import { downloadResult } from './routes/download-result.ts'
import { estimateRoute } from './routes/estimate.ts'
import { getAccount } from './routes/get-account.ts'
import { getRequest } from './routes/get-request.ts'
import { getUpload } from './routes/get-upload.ts'
import { getUsage } from './routes/get-usage.ts'
import { listEvents } from './routes/list-events.ts'
import { listOperations } from './routes/list-operations.ts'
import { listRequests } from './routes/list-requests.ts'
import { processingRoute } from './routes/process.ts'
import { sendUpload } from './routes/send-upload.ts'
import { streamRequest } from './routes/stream-request.ts'
import { createTemplate, deleteTemplate, getTemplate, listTemplates } from './routes/templates.ts'
import { UPLOAD_CONTENT } from './routes/upload-content.ts'

/** All API routes. To add a route, write its file, and add two lines here. */
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
