import { z } from 'zod'
import { id } from '../objects/fields.ts'
import { defineRoute } from '../route.ts'

export const downloadResult = defineRoute({
  operationId: 'downloadResult',
  method: 'get',
  path: '/v1/results/{id}',
  tag: 'Requests',
  summary: 'Download a result',
  description: 'The link in `result.files[].url`. It needs no key, because its signature authorizes it.',
  key: false,
  params: z.object({ id: id('Request identifier.', 48_211) }),
  query: z.object({
    file: z
      .string()
      .optional()
      .meta({ description: 'Name of the output, as in the link. Only for requests with `outputs`.' }),
    expires: z.string().meta({ description: 'From the link.' }),
    key: z.string().optional().meta({ description: 'From the link.' }),
    signature: z.string().meta({ description: 'From the link.' }),
  }),
  responses: {
    200: { description: 'The file, for clients that follow the redirect.', isFile: true },
    302: {
      description: 'The file is at the URL in `Location`.',
      headers: ['Location', 'Cache-Control', 'Cross-Origin-Resource-Policy', 'Access-Control-Allow-Origin'],
    },
  },
  rejections: ['invalid_signature', 'result_expired'],
})
