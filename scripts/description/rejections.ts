import type { ApiError, ApiErrorCode } from '@mediamill/contract/domain/errors'
import { API_ERRORS } from '@mediamill/contract/domain/errors'
import { schemaName } from '@mediamill/contract/lib/schema-name'
import { EXAMPLE_BASE_URL } from '@mediamill/contract/objects/samples'
import type { Route } from '@mediamill/contract/route'
import { rejectionsOf } from '@mediamill/contract/route'
import { ROUTES } from '@mediamill/contract/routes'
import { errorBody, unavailable } from '@mediamill/server/http/errors'
import { ERROR_MEANINGS } from './error-texts.ts'
import type { Header } from './headers.ts'
import { headersNamed, RATE_HEADERS } from './headers.ts'
import type { Json } from './json-schema.ts'
import { ref } from './json-schema.ts'
import { INVALID_QUERY_EXAMPLE, REJECTION_EXAMPLES } from './rejection-examples.ts'

/** The names of error responses with several error codes. A response with one code is named after the code. */
const NAMES: Record<number, string> = {
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  422: 'InvalidRequest',
  429: 'LimitReached',
}

const OWN_NAMES: Record<string, string> = {
  createUpload422: 'InvalidUpload',
  createUpload429: 'UploadLimitReached',
  sendUpload422: 'InvalidUpload',
  sendUpload429: 'UploadLimitReached',
  createStamp422: 'InvalidStamp',
  createTemplate422: 'InvalidTemplate',
  imagesRead422: 'InvalidRead',
  imagesReadEstimate422: 'InvalidRead',
  videosRead422: 'InvalidRead',
  videosReadEstimate422: 'InvalidRead',
  documentsRead422: 'InvalidRead',
  documentsReadEstimate422: 'InvalidRead',
  createStamp429: 'UploadLimitReached',
  putUpload403: 'UploadForbidden',
  patchUpload403: 'UploadForbidden',
  headUpload403: 'UploadForbidden',
  endUpload403: 'UploadForbidden',
  describeUpload403: 'UploadForbidden',
  putUpload422: 'InvalidUploadContent',
  patchUpload422: 'InvalidUploadContent',
  endUpload404: 'UploadGone',
  endUpload409: 'UploadStillInUse',
}

/** The headers that only some error responses have, by the name of the response. */
const OWN_HEADERS: Record<string, readonly Header[]> = {
  InvalidRequest: ['Preference-Applied', 'Mediamill-Request', 'Mediamill-Price'],
  RangeNotSatisfiable: [
    'Accept-Ranges',
    'Content-Range',
    'Cross-Origin-Resource-Policy',
    'Access-Control-Allow-Origin',
  ],
  TusVersionUnsupported: ['Tus-Resumable', 'Tus-Version', 'Upload-Expires'],
  UploadOffsetMismatch: ['Tus-Resumable', 'Upload-Expires'],
  ContentTypeUnsupported: ['Tus-Resumable', 'Upload-Expires'],
  UploadChecksumMismatch: ['Tus-Resumable', 'Upload-Expires'],
  UploadStillInUse: ['Tus-Resumable', 'Upload-Expires'],
}

type Rejection = { name: string; status: number; codes: ApiErrorCode[]; key: boolean; hasBody: boolean }

export function rejections(route: Route): Json {
  const named = rejectionsByStatus(route).map(({ status, name }) => [String(status), responseNamed(name)])
  return Object.fromEntries(
    route.responses[503] === undefined ? [...named, ['503', responseNamed(UNAVAILABLE)]] : named,
  )
}

/** The response that every endpoint can return while the database is unavailable (errors.calls.2). */
export const UNAVAILABLE = 'Unavailable'

const responseNamed = (name: string): Json => ({ $ref: `#/components/responses/${name}` })

function rejectionsByStatus(route: Route): Rejection[] {
  const byStatus = Map.groupBy(rejectionsOf(route), (code) => API_ERRORS[code])
  return [...byStatus].map(([status, codes]) => {
    const [only] = codes
    const own = OWN_NAMES[`${route.operationId}${status}`]
    const name =
      own ?? (codes.length === 1 && only !== undefined ? schemaName(only) : (NAMES[status] ?? `Status${status}`))
    return { name, status, codes, key: route.key, hasBody: route.body !== undefined }
  })
}

export function rejectionComponents(): Json {
  const found: Json = {}
  for (const rejection of ROUTES.flatMap(rejectionsByStatus)) {
    const made = component(rejection)
    const known = found[rejection.name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(made)) {
      throw new Error(`two error responses are named ${rejection.name}: add a name for the status`)
    }
    found[rejection.name] = made
  }
  return { ...found, [UNAVAILABLE]: unavailableComponent() }
}

function unavailableComponent(): Json {
  const example = { summary: UNAVAILABLE_MEANING, value: shown(unavailable(undefined)) }
  return {
    description: `\`server_error\`: ${UNAVAILABLE_MEANING} Send the call again after \`Retry-After\`.`,
    headers: headersNamed(['Request-Id', 'Retry-After']),
    content: { 'application/json': { schema: ref('ApiError'), examples: { server_error: example } } },
  }
}

const UNAVAILABLE_MEANING = 'The service is starting, or its database is unavailable.'

function component({ name, status, codes, key, hasBody }: Rejection): Json {
  const retry = status === 429 || codes.includes('idempotency_key_in_use')
  const headers: Header[] = [
    'Request-Id',
    ...(key && status !== 401 && status !== 500 ? RATE_HEADERS : []),
    ...(retry ? (['Retry-After'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(OWN_HEADERS[name] ?? []),
  ]
  const examples = codes.map((code) => [code, { summary: ERROR_MEANINGS[code], value: exampleOf(code, hasBody) }])
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join(' '),
    headers: headersNamed(headers),
    content: { 'application/json': { schema: ref('ApiError'), examples: Object.fromEntries(examples) } },
  }
}

function exampleOf(code: ApiErrorCode, hasBody: boolean): object {
  const make = code === 'validation_failed' && !hasBody ? INVALID_QUERY_EXAMPLE : REJECTION_EXAMPLES[code]
  return shown(make())
}

const shown = (error: ApiError) => errorBody(error, 'req_8f14e45fceea167a5a36dedd', EXAMPLE_BASE_URL)
