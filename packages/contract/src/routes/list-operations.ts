import { catalog } from '../objects/catalog.ts'
import { presentCatalog } from '../objects/present-catalog.ts'
import { resize } from '../operations/resize.ts'
import { defineRoute } from '../route.ts'

export const listOperations = defineRoute({
  operationId: 'listOperations',
  method: 'get',
  path: '/v1/operations',
  tag: 'Account',
  summary: 'List the operations',
  description: 'Lists every operation by kind of file, with its parameters, their bounds, and their defaults.',
  key: true,
  responses: {
    200: {
      description: 'The catalog of operations. The example contains only `resize`.',
      schema: catalog,
      // The example has one operation. The reference lists all operations.
      example: presentCatalog([resize]),
    },
  },
  rejections: [],
})
