import { z } from 'zod'
import { MAX_STREAM_SECONDS } from '../domain/limits.ts'
import { imagesProcess } from '../endpoints/images-process.ts'
import { exampleSucceeded } from '../objects/examples.ts'
import { id } from '../objects/fields.ts'
import { mediaRequest } from '../objects/request.ts'
import { defineRoute } from '../route.ts'

export const streamRequest = defineRoute({
  operationId: 'streamRequest',
  method: 'get',
  path: '/v1/requests/{id}/events',
  tag: 'Requests',
  summary: 'Follow a request',
  description: `Server-sent events: \`request.updated\` with the current request, and again at each change of its status or progress, until it has finished. The stream then closes. It also closes after ${MAX_STREAM_SECONDS / 60} minutes: clients such as \`EventSource\` reconnect with \`Last-Event-ID\`, and nothing is repeated.`,
  key: true,
  readsRequest: true,
  params: z.object({ id: id('Request identifier.', 48_211) }),
  headers: ['Last-Event-ID'],
  responses: {
    200: {
      description: 'Events until the request has finished. The `data` of each event is the request.',
      schema: mediaRequest,
      example: `retry: 3000\n\nevent: request.updated\nid: 101\ndata: ${JSON.stringify(exampleSucceeded(imagesProcess))}\n\n`,
      isStream: true,
    },
    204: { description: 'The client has received the final event, as `Last-Event-ID` shows: do not reconnect.' },
  },
  rejections: ['request_not_found'],
})
