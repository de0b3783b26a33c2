import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import type { Route, RouteResponse } from '@mediamill/contract/route'
import { ROUTES } from '@mediamill/contract/routes'
import type { z } from 'zod'
import { headersNamed, RATE_HEADERS } from './headers.ts'
import type { Json, Schemas } from './json-schema.ts'
import { responseSchema, sentSchema } from './json-schema.ts'
import { rejections } from './rejections.ts'

export function paths(schemas: Schemas): Json {
  const byPath = Map.groupBy(ROUTES, ({ path }) => path)
  return Object.fromEntries(
    [...byPath].map(([path, routes]) => [
      path,
      Object.fromEntries(routes.map((route) => [route.method, operation(route, schemas)])),
    ]),
  )
}

function operation(route: Route, schemas: Schemas): Json {
  const parameters = [
    ...parametersOf(route.params, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
    ...(route.headers ?? []).map((name) => ({ $ref: `#/components/parameters/${name.replaceAll('-', '')}` })),
  ]
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    ...(!route.key && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: {
        required: true,
        content: sentContent(route.body, schemas),
      },
    }),
    responses: { ...responses(route, schemas), ...rejections(route) },
  }
}

const FILE_SCHEMA = { schema: { type: 'string', format: 'binary' } }

function sentContent(body: NonNullable<Route['body']>, schemas: Schemas): Json {
  if (body.schema === undefined) return { [body.file]: FILE_SCHEMA }
  return {
    'application/json': { schema: sentSchema(body.schema, schemas), example: body.example },
    ...(body.file && { 'application/octet-stream': FILE_SCHEMA }),
    ...(body.form && { 'multipart/form-data': FORM_CONTENT }),
  }
}

const FORM_CONTENT = {
  schema: {
    type: 'object',
    description:
      'The file as the part `source`. The other fields are parts of their own (JSON for objects and lists), or one JSON part `request`. `image_url: "part:NAME"` names a further file part.',
    properties: {
      source: { type: 'string', format: 'binary', description: 'The file to process.' },
      request: { type: 'string', description: 'The other fields of the body as JSON.' },
    },
    additionalProperties: { type: 'string', description: 'Another field of the body, or a further file.' },
  },
}

function parametersOf(declared: z.ZodObject | undefined, location: 'path' | 'query', schemas: Schemas): Json[] {
  if (declared === undefined) return []
  const { properties = {}, required = [] } = sentSchema(declared, schemas) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
    name,
    in: location,
    description,
    required: required.includes(name),
    schema,
    // Each entry of a map is a separate query parameter, such as `metadata[order]=1977`.
    ...(schema['type'] === 'object' && { style: 'deepObject', explode: true }),
    ...(Array.isArray(examples) && { example: examples[0] }),
  }))
}

function responses(route: Route, schemas: Schemas): Json {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, response]) => [status, responseOf(route, response, schemas)]),
  )
}

function responseOf(
  route: Route,
  { description, schema, example, isFile, isStream, headers = [] }: RouteResponse,
  schemas: Schemas,
): Json {
  return {
    description,
    headers: headersNamed([
      'Request-Id',
      ...(route.key ? ([...RATE_HEADERS, 'Mediamill-Warning'] as const) : []),
      ...headers,
    ]),
    ...(isStream && { content: { 'text/event-stream': { schema: { type: 'string' }, example } } }),
    ...((isFile || (schema !== undefined && !isStream)) && {
      content: {
        ...(schema !== undefined && { 'application/json': { schema: responseSchema(schema, schemas), example } }),
        ...(isFile && FILE_CONTENT),
      },
    }),
  }
}

const FILE_CONTENT = Object.fromEntries(Object.values(CONTENT_TYPES).map((type) => [type, FILE_SCHEMA]))
