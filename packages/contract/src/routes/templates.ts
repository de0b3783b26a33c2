import { z } from 'zod'
import { LIST_LIMIT } from '../domain/limits.ts'
import { TEMPLATE_REFERENCE } from '../endpoints/template-fields.ts'
import { integer, listOf } from '../objects/fields.ts'
import { deletedTemplate, EXAMPLE_NEW_TEMPLATE, EXAMPLE_TEMPLATE, newTemplate, template } from '../objects/template.ts'
import { defineRoute } from '../route.ts'

const reference = z.object({
  name: z.string().meta({ description: 'Name, or name and version.', examples: [EXAMPLE_TEMPLATE.id] }),
})

export const createTemplate = defineRoute({
  operationId: 'createTemplate',
  method: 'post',
  path: '/v1/templates',
  tag: 'Templates',
  summary: 'Create a template',
  description:
    'Stores version 1 of a new name, or the next version of an existing name. If the newest version is the same, it is returned with status 200. Free of charge.',
  key: true,
  body: { schema: newTemplate, example: EXAMPLE_NEW_TEMPLATE },
  responses: {
    201: { description: 'The new version.', schema: template, example: EXAMPLE_TEMPLATE },
    200: {
      description: 'The newest version, which already has this content.',
      schema: template,
      example: EXAMPLE_TEMPLATE,
    },
  },
  rejections: ['validation_failed'],
})

export const listTemplates = defineRoute({
  operationId: 'listTemplates',
  method: 'get',
  path: '/v1/templates',
  tag: 'Templates',
  summary: 'List templates',
  description: 'Lists the newest version of each template by name. For the next page, pass the last `id` as `after`.',
  key: true,
  query: z.object({
    limit: integer(1, LIST_LIMIT.maximum, 'Templates per page.').default(LIST_LIMIT.default),
    after: z
      .string()
      .regex(TEMPLATE_REFERENCE, { error: 'must be the id of a template, such as product@3' })
      .optional()
      .meta({ description: 'Only templates after this one.' }),
  }),
  responses: {
    200: {
      description: 'A page of templates.',
      schema: listOf('TemplateList', template, { page: 'Templates, by name.', more: 'Whether more templates follow.' }),
      example: { object: 'list', data: [EXAMPLE_TEMPLATE], has_more: false },
    },
  },
  rejections: ['validation_failed'],
})

export const getTemplate = defineRoute({
  operationId: 'getTemplate',
  method: 'get',
  path: '/v1/templates/{name}',
  tag: 'Templates',
  summary: 'Get a template',
  description: 'Returns the newest version of `product`, or the version of `product@3`.',
  key: true,
  params: reference,
  responses: { 200: { description: 'The template.', schema: template, example: EXAMPLE_TEMPLATE } },
  rejections: ['not_found'],
})

export const deleteTemplate = defineRoute({
  operationId: 'deleteTemplate',
  method: 'delete',
  path: '/v1/templates/{name}',
  tag: 'Templates',
  summary: 'Delete a template',
  description: 'Deletes every version of a template. Requests that were started with it are not affected.',
  key: true,
  params: z.object({ name: z.string().meta({ description: 'Name, without a version.', examples: ['product'] }) }),
  responses: {
    200: {
      description: 'The template is deleted.',
      schema: deletedTemplate,
      example: { name: 'product', object: 'template', deleted: true },
    },
  },
  rejections: ['not_found'],
})
