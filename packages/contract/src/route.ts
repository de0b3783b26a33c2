import type { z } from 'zod'
import type { ApiErrorCode } from './domain/errors.ts'

type Tag = 'Images' | 'Videos' | 'Documents' | 'Requests' | 'Events' | 'Uploads' | 'Templates' | 'Account'

type CallHeader = 'Idempotency-Key' | 'Last-Event-ID' | 'Prefer' | 'Tus-Resumable' | 'Upload-Offset' | 'Upload-Checksum'

export type ResponseHeader =
  | 'Idempotent-Replayed'
  | 'Preference-Applied'
  | 'Location'
  | 'Mediamill-Request'
  | 'Mediamill-Price'
  | 'Repr-Digest'
  | 'Content-Disposition'
  | 'Cache-Control'
  | 'ETag'
  | 'Accept-Ranges'
  | 'Content-Range'
  | 'Cross-Origin-Resource-Policy'
  | 'Access-Control-Allow-Origin'
  | 'Upload-Offset'
  | 'Upload-Length'
  | 'Upload-Expires'
  | 'Tus-Resumable'
  | 'Tus-Version'
  | 'Tus-Extension'
  | 'Tus-Max-Size'
  | 'Tus-Checksum-Algorithm'

export type RouteResponse = {
  description: string
  schema?: z.ZodType
  example?: unknown
  isFile?: true
  isStream?: true
  headers?: readonly ResponseHeader[]
}

/** The declaration of a route. It defines the types of the handler, the validation, and the OpenAPI document. */
export type Route = {
  /** The unique id of the route. Generated clients use it as the name of the function. */
  operationId: string
  method: 'get' | 'post' | 'delete' | 'put' | 'patch' | 'head' | 'options'
  path: `/v1/${string}`
  tag: Tag
  summary: string
  description: string
  /** Whether a call requires an API key. If so, the route also has the errors and headers of calls with a key. */
  key: boolean
  params?: z.ZodObject
  query?: z.ZodObject
  headers?: readonly CallHeader[]
  /** The body. `file` and `form` also allow a file or a form. Without `schema`, it must be a file of type `file`. */
  body?:
    | { schema: z.ZodType; example: unknown; file?: true; form?: true }
    | { schema?: never; file: `application/${string}` }
  responses: Readonly<Record<number, RouteResponse>>
  /** The errors that only this route returns. `rejectionsOf` adds the errors that every route can return. */
  rejections: readonly ApiErrorCode[]
}

export const defineRoute = <const Declared extends Route>(route: Declared): Declared => route

export function rejectionsOf({ key, rejections }: Route): ApiErrorCode[] {
  const common: ApiErrorCode[] = key
    ? ['missing_api_key', 'invalid_api_key', 'account_suspended', 'key_restricted', 'rate_limited']
    : []
  return [...common, ...rejections, 'server_error']
}

export type ResponseOf<Declared extends { responses: Readonly<Record<number, { schema?: z.ZodType }>> }> = {
  [Status in keyof Declared['responses']]: Declared['responses'][Status] extends {
    schema: infer Schema extends z.ZodType
  }
    ? z.output<Schema>
    : never
}[keyof Declared['responses']]

export type QueryOf<Declared> = Declared extends { query: infer Query extends z.ZodObject }
  ? z.output<Query>
  : Record<never, never>
