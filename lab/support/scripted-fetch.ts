export type SentCall = { method: string; path: string; headers: Headers; body: string; signal: AbortSignal | undefined }

/** The result of a call: a response, a connection error, or no result until the call is aborted. */
export type ScriptedResponse = { status?: number; body?: unknown; headers?: Record<string, string> } | Error | 'nothing'

type ScriptedFetch = typeof globalThis.fetch & { calls: SentCall[] }

/** Makes a `fetch` with scripted results that records the calls. `index` is the number of the call, starting at 0. */
export function scriptFetch(respond: (call: SentCall, index: number) => ScriptedResponse): ScriptedFetch {
  const calls: SentCall[] = []
  const fetch = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    const { pathname, search } = new URL(url as string)
    const call: SentCall = {
      method: init.method ?? 'GET',
      path: pathname + search,
      headers: new Headers(init.headers),
      body: init.body instanceof Blob ? `[${init.body.size} bytes]` : typeof init.body === 'string' ? init.body : '',
      signal: init.signal ?? undefined,
    }
    calls.push(call)
    const scripted = respond(call, calls.length - 1)
    if (scripted instanceof Error) throw scripted
    if (scripted === 'nothing') {
      return await new Promise((_resolve, reject) => {
        const end = () => reject(call.signal?.reason as Error)
        if (call.signal?.aborted === true) end()
        else call.signal?.addEventListener('abort', end, { once: true })
      })
    }
    const { status = 200, body, headers } = scripted
    return new Response(status === 204 || body === undefined ? null : JSON.stringify(body), {
      status,
      headers: headers ?? {},
    })
  }
  return Object.assign(fetch as typeof globalThis.fetch, { calls })
}

export const scriptedRequest = (status: string, more: object = {}) => ({
  id: 17,
  object: 'request',
  endpoint: 'images/read',
  status,
  livemode: false,
  source: 'https://example.com/a.jpg',
  input: {},
  created_at: '2026-11-22T07:00:00.000Z',
  ...(status === 'succeeded' ? { result: { data: {}, files: [] } } : {}),
  ...(status === 'failed'
    ? { error: { code: 'unsupported_media', message: 'No.', doc_url: 'https://example.com' } }
    : {}),
  ...more,
})

export const scriptedRejection = (
  status: number,
  type: string,
  code: string,
  headers: Record<string, string> = {},
) => ({
  status,
  headers: { 'request-id': 'req_1', ...headers },
  body: { error: { type, code, message: `${code}.`, doc_url: 'https://example.com', request_id: 'req_1' } },
})
