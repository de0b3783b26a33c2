import type { z } from 'zod'
import type { ApiErrorCode } from './domain/errors.ts'

/** Where the pages of the description list a route. */
export type Tag = 'Images' | 'Videos' | 'Documents' | 'Requests' | 'Events' | 'Uploads' | 'Account'

/** A header of a call besides its key. */
export type CallHeader =
  | 'Idempotency-Key'
  | 'Last-Event-ID'
  | 'Prefer'
  | 'Tus-Resumable'
  | 'Upload-Offset'
  | 'Upload-Checksum'

/** A header of an answer besides those that every answer has. */
export type AnswerHeader =
  | 'Idempotent-Replayed'
  | 'Preference-Applied'
  | 'Location'
  | 'Cache-Control'
  | 'Cross-Origin-Resource-Policy'
  | 'Upload-Offset'
  | 'Upload-Length'
  | 'Upload-Expires'
  | 'Tus-Resumable'
  | 'Tus-Version'
  | 'Tus-Extension'
  | 'Tus-Max-Size'
  | 'Tus-Checksum-Algorithm'

/** An answer that is no refusal. It has its body, unless it only leads elsewhere, and an example of it. */
export type Answer = {
  description: string
  schema?: z.ZodType
  example?: unknown
  /** Whether the body is a file that a request made. */
  isFile?: true
  /** Whether the body is a stream of server-sent events, each of which carries `schema`. */
  isStream?: true
  headers?: readonly AnswerHeader[]
}

/**
 * One route as the wire knows it. Its handler is typed by it, its query parsed by it, its part of the description and the
 * checks of the tests come out of it.
 */
export type Route = {
  /** Unique; generated clients name their functions after it. */
  operationId: string
  method: 'get' | 'post' | 'delete' | 'put' | 'patch' | 'head' | 'options'
  path: `/v1/${string}`
  tag: Tag
  /** What is done, as a title: "Get a request". */
  summary: string
  description: string
  /** Whether a call needs an API key. With it come the refusals and headers that every such call may have. */
  key: boolean
  /** Whether `{id}` is a request that is read together with the key, in one round trip: `caller.wanted`. */
  readsRequest?: true
  params?: z.ZodObject
  query?: z.ZodObject
  /** Headers that a call may send besides its key. */
  headers?: readonly CallHeader[]
  /** `file`: the body may be a file itself as well, of any type but JSON; or it is one, of the type that is named. */
  body?: { schema: z.ZodType; example: unknown; file?: true } | { schema?: never; file: `application/${string}` }
  answers: Readonly<Record<number, Answer>>
  /** How it may be refused, besides how every route may be: `refusalsOf` adds those. */
  refusals: readonly ApiErrorCode[]
}

/** Declares a route; its types are kept for its handler. */
export const defineRoute = <const Declared extends Route>(route: Declared): Declared => route

/** Every code that a route may answer with. */
export function refusalsOf({ key, refusals }: Route): ApiErrorCode[] {
  const common: ApiErrorCode[] = key ? ['missing_api_key', 'invalid_api_key', 'account_suspended', 'rate_limited'] : []
  return [...common, ...refusals, 'server_error']
}

/** The body of a route's answers. */
export type AnswerOf<Declared extends Route> = AnswersOf<Declared>

/** The bodies of whatever declares answers by their status. */
export type AnswersOf<Declared extends { answers: Readonly<Record<number, { schema?: z.ZodType }>> }> = {
  [Status in keyof Declared['answers']]: Declared['answers'][Status] extends { schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : never
}[keyof Declared['answers']]

/** What a route's query says, with its defaults. */
export type QueryOf<Declared extends Route> = Declared extends { query: infer Query extends z.ZodObject }
  ? z.output<Query>
  : Record<never, never>
