import { z } from 'zod'
import { ENDPOINTS } from '../endpoints/index.ts'
import { estimate } from '../objects/estimate.ts'
import { defineConsoleRoute, FOR_READERS } from './console-route.ts'

/** Returns the price of a draft. For an invalid draft, returns 200 with the error that the API would return. */
export const estimateDraft = defineConsoleRoute({
  method: 'post',
  path: '/console/api/estimates',
  ...FOR_READERS,
  body: {
    schema: z.strictObject({
      endpoint: z.enum(ENDPOINTS.map(({ name }): string => name)),
      body: z.record(z.string(), z.unknown()),
    }),
    example: { endpoint: 'images/read', body: { source: 'https://example.com/photo.jpg' } },
  },
  responses: {
    200: {
      schema: z.strictObject({
        estimate: estimate.nullable(),
        error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
      }),
    },
  },
})
