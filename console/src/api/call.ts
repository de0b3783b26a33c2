import { basePath } from '../app/page-settings.ts'
import { shared } from '../text.ts'
import { CallError } from './call-error.ts'
import type { ErrorBody } from './objects.ts'
import { viewedAccount } from './viewed-account.ts'

export type Query = Record<string, string | number | boolean | undefined>

export type CallOptions = {
  query?: Query
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

export async function call<Result>(method: string, path: string, options: CallOptions = {}): Promise<Result> {
  const response = await send(method, path, options)
  const text = await response.text()
  const parsedBody: unknown = text === '' ? undefined : parse(text)
  if (!response.ok) throw rejection(response.status, parsedBody)
  return parsedBody as Result
}

/** Returns the URL of a call. While an operator views an account, the URL contains that account. */
export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`${basePath}api${path}`, window.location.origin)
  const account = viewedAccount()
  for (const [name, value] of Object.entries({ ...query, account: query['account'] ?? account })) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value))
  }
  return url.pathname + url.search
}

async function send(method: string, path: string, { query, body, headers, signal }: CallOptions): Promise<Response> {
  const sent = body === undefined && method !== 'GET' ? {} : body
  try {
    return await fetch(apiUrl(path, query), {
      method,
      credentials: 'same-origin',
      headers: {
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new CallError(0, 'unreachable', shared.serviceDoesNotRespond)
  }
}

export function rejection(status: number, response: unknown): CallError {
  if (!isErrorBody(response)) return new CallError(status, 'unknown', shared.serviceReturnedStatus(status))
  const { code, message, errors = [], param, doc_url } = response.error
  const problems = errors.length > 0 || param === undefined ? errors : [{ param, code, message }]
  return new CallError(status, code, message, problems, doc_url)
}

const isErrorBody = (response: unknown): response is ErrorBody =>
  typeof response === 'object' && response !== null && 'error' in response && typeof response.error === 'object'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
