import { z } from 'zod'
import { id } from '../objects/fields.ts'
import { defineRoute } from '../route.ts'

export const downloadResult = defineRoute({
  operationId: 'downloadResult',
  method: 'get',
  path: '/v1/results/{id}',
  tag: 'Requests',
  summary: 'Download a result',
  description: 'The link in `result.files[].url`. It needs no key: its signature is what authorizes it.',
  key: false,
  params: z.object({ id: id('The id of the request.', 48_211) }),
  query: z.object({
    expires: z.string().meta({ description: 'As in the link.' }),
    signature: z.string().meta({ description: 'As in the link.' }),
  }),
  answers: {
    200: { description: 'What a client that follows the redirect gets: the file.', isFile: true },
    302: {
      description: 'The file is at the address in `Location`.',
      headers: ['Location', 'Cache-Control', 'Cross-Origin-Resource-Policy'],
    },
  },
  refusals: ['invalid_signature', 'result_expired'],
})
