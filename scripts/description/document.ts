import { OUTPUT_FORMATS } from '@mediamill/contract/domain/media'
import { ENDPOINTS } from '@mediamill/contract/endpoints/index'
import { inputSchema } from '@mediamill/contract/endpoints/template-fields'
import { schemaName } from '@mediamill/contract/lib/schema-name'
import { apiError } from '@mediamill/contract/objects/error'
import { EXAMPLE_BASE_URL } from '@mediamill/contract/objects/samples'
import { API_VERSION } from '@mediamill/contract/routes'
import { callHeaders } from './call-headers.ts'
import { headerComponents } from './headers.ts'
import { introduction } from './introduction.ts'
import type { Json, Schemas } from './json-schema.ts'
import { componentsOf, responseSchema, sentSchema } from './json-schema.ts'
import { paths } from './paths.ts'
import { rejectionComponents } from './rejections.ts'
import { webhooks } from './webhooks.ts'

/** The address of the service in generated texts. The server replaces it with its own address. */
export const WRITTEN_ADDRESS = 'http://127.0.0.1:8080'

/** Returns the content of docs/openapi.json. */
export function describeApi(): Json {
  const schemas: Schemas = new Map()
  for (const endpoint of ENDPOINTS) {
    const { name } = endpoint
    const description = `The fields that you sent to ${name}, without \`source\`, \`webhook_url\`, \`customer\`, and \`metadata\`. Fields that you did not send are absent.`
    const input = inputSchema(endpoint).meta({ description })
    schemas.set(`${schemaName(name)}Input`, sentSchema(input, schemas))
  }
  responseSchema(apiError, schemas)
  const described = {
    openapi: '3.1.0',
    info: {
      title: 'Mediamill',
      version: API_VERSION,
      summary: 'Process images, videos, and PDFs by URL.',
      description: introduction(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths: paths(schemas),
    webhooks: webhooks(schemas),
    components: {
      schemas: componentsOf(schemas),
      responses: rejectionComponents(),
      parameters: callHeaders(),
      headers: headerComponents(),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A live key (`svc_live_…`) runs on credit; a test key (`svc_test_…`) is free and has small limits.',
        },
      },
    },
  }
  return JSON.parse(JSON.stringify(described).replaceAll(EXAMPLE_BASE_URL, WRITTEN_ADDRESS))
}

const LIST = new Intl.ListFormat('en-US')

const TAGS = [
  {
    name: 'Images',
    description: `JPEG, PNG, GIF, WebP, TIFF, BMP, HEIC, and AVIF in; ${LIST.format(OUTPUT_FORMATS.image)} out.`,
  },
  { name: 'Videos', description: 'MP4, MOV, WebM, MKV, AVI, FLV, MPEG, and MPEG-TS in; MP4 out.' },
  { name: 'Documents', description: 'PDF in, PDF out.' },
  { name: 'Requests', description: 'Requests, their status, and their files.' },
  { name: 'Events', description: 'Completed requests in order, and their webhook deliveries.' },
  { name: 'Uploads', description: 'Your own files, as sources.' },
  { name: 'Templates', description: 'Operations and outputs that you store under a name.' },
  { name: 'Account', description: 'Balance, limits, usage, and operations.' },
  { name: 'Webhooks', description: 'Events that the service sends to you.' },
]
