import { builtinModule } from '../environment.ts'

const STEP_BYTES = 65_536

type Xhr = {
  open: (method: string, url: string) => void
  setRequestHeader: (name: string, value: string) => void
  getAllResponseHeaders: () => string
  send: (body: Blob) => void
  abort: () => void
  readonly status: number
  readonly responseText: string
  readonly upload: { onprogress: (event: { loaded: number }) => void }
  onload: () => void
  onerror: () => void
  onabort: () => void
  onloadend: () => void
}

// The SDK compiles without DOM types. Node.js has no XMLHttpRequest.
const xhrClass = () => (globalThis as unknown as { XMLHttpRequest?: new () => Xhr }).XMLHttpRequest

type Send = { fetch: typeof globalThis.fetch; url: string; init: RequestInit; file: Blob }

/** Calls the global `fetch` that is current at the time of the call, because a program may replace it. */
export const runtimeFetch: typeof globalThis.fetch = async (...given) => await globalThis.fetch(...given)

/**
 * Sends a file, and reports the sent bytes. In browsers, uses `XMLHttpRequest`, because `fetch` reports no progress
 * there. In Node.js, Bun, and Deno, sends a stream that counts the bytes. Elsewhere, or in a browser with a custom
 * `fetch`, reports nothing.
 */
export async function fetchFile(send: Send, onBytes: (sent: number) => void): Promise<Response> {
  const Xhr = xhrClass()
  if (send.fetch === runtimeFetch && Xhr !== undefined) return await sendByXhr(new Xhr(), send, onBytes)
  const { fetch, url, init, file } = send
  if (builtinModule('node:fs') === undefined) return await fetch(url, init)
  const headers = new Headers(init.headers)
  // Without a length, the service would reserve space for the largest file that the account may upload.
  headers.set('content-length', String(file.size))
  return await fetch(url, { ...init, headers, body: countingStream(file, onBytes), duplex: 'half' } as RequestInit)
}

/** Streams a file in steps of `STEP_BYTES`. When the connection reads a step, the previous step counts as sent. */
function countingStream(file: Blob, onBytes: (sent: number) => void): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at > 0) onBytes(at)
        const bytes = new Uint8Array(await file.slice(at, at + STEP_BYTES).arrayBuffer())
        at += bytes.length
        if (bytes.length > 0) controller.enqueue(bytes)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

async function sendByXhr(call: Xhr, { url, init, file }: Send, onBytes: (sent: number) => void): Promise<Response> {
  const { signal } = init
  return await new Promise((resolve, reject) => {
    const abort = () => call.abort()
    call.open(init.method ?? 'POST', url)
    new Headers(init.headers).forEach((value, name) => call.setRequestHeader(name, value))
    call.upload.onprogress = ({ loaded }) => onBytes(loaded)
    call.onload = () => {
      const lines = call.getAllResponseHeaders().trim().split(/\r?\n/)
      const headers = lines.map((line): [string, string] => {
        const [name = '', ...value] = line.split(': ')
        return [name, value.join(': ')]
      })
      resolve(new Response(call.responseText || null, { status: call.status, headers }))
    }
    call.onerror = () => reject(new TypeError('Failed to send the file'))
    call.onabort = () => reject(signal?.reason as Error)
    call.onloadend = () => signal?.removeEventListener('abort', abort)
    signal?.addEventListener('abort', abort)
    call.send(file)
    if (signal?.aborted === true) abort()
  })
}
