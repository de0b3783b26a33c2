import { createHash } from 'node:crypto'
import type { Caller } from './caller.ts'

/** How the service gets a file: from a URL, by an upload in one body or in chunks, or as a form in the call. */
const ARRIVALS = ['url', 'whole', 'pieces', 'form'] as const
export type Arrival = (typeof ARRIVALS)[number]

const PIECES = 4

/** Uploads a file, even if an API server is killed. Calls `complain` if the service lost or changed bytes. */
export async function uploadFile(
  caller: Caller,
  { bytes, how, key, complain }: { bytes: Buffer; how: Arrival; key: string; complain: (of: string) => void },
): Promise<string> {
  const id = how === 'whole' ? await uploadWhole(caller, bytes, key) : await uploadPieces(caller, bytes, key, complain)
  const { status, body } = await caller.callUntilResponse('GET', `/v1/uploads/${id}`, { key })
  const isAll = status === 200 && body.status === 'complete' && body.size === bytes.length
  if (!isAll || body.sha256 !== sha256Of(bytes))
    complain(`an upload differs from the bytes sent: ${JSON.stringify(body)}`)
  return `upload:${id}`
}

async function uploadWhole(caller: Caller, bytes: Buffer, key: string): Promise<string> {
  const headers = { 'content-type': 'application/octet-stream' }
  const { status, body } = await caller.callUntilResponse('POST', '/v1/uploads', { key, body: bytes, headers })
  if (status !== 201) throw new Error(`an upload returned ${status}: ${JSON.stringify(body)}`)
  return body.id
}

async function uploadPieces(
  caller: Caller,
  bytes: Buffer,
  key: string,
  complain: (of: string) => void,
): Promise<string> {
  const { body: begun } = await caller.callUntilResponse('POST', '/v1/uploads', { key, body: { size: bytes.length } })
  const { pathname, search } = new URL(begun.upload_url)
  const tus = { 'tus-resumable': '1.0.0' }
  const size = Math.ceil(bytes.length / PIECES)
  let confirmed = 0
  for (;;) {
    const head = await caller.callUntilResponse('HEAD', pathname + search, { headers: tus })
    const offset = Number(head.headers.get('upload-offset') ?? Number.NaN)
    if (head.status !== 200 || Number.isNaN(offset)) throw new Error(`HEAD of an upload returned ${head.status}`)
    if (offset < confirmed) complain(`upload ${begun.id} shrank from ${confirmed} to ${offset} bytes`)
    confirmed = offset
    while (confirmed < bytes.length) {
      const headers = {
        ...tus,
        'upload-offset': String(confirmed),
        'content-type': 'application/offset+octet-stream',
      }
      const piece = bytes.subarray(confirmed, confirmed + size)
      const response = await caller.once('PATCH', pathname + search, { body: piece, headers })
      if (response?.status !== 204) {
        await caller.pause(response)
        break
      }
      confirmed = Number(response.headers.get('upload-offset'))
    }
    if (confirmed >= bytes.length) return begun.id
  }
}

const BOUNDARY = 'the-boundary-of-a-form'

export function formOf(file: Buffer, fields: object): { body: Buffer; headers: Record<string, string> } {
  const part = (disposition: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const body = Buffer.concat([
    Buffer.from(`${part('name="request"')}${JSON.stringify(fields)}\r\n${part('name="source"; filename="file"')}`),
    file,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } }
}

/** Deletes an upload. Retries until the upload is deleted, or reported as in use. */
export async function deleteFile(caller: Caller, source: string, key: string): Promise<'gone' | 'in_use'> {
  const { status, body } = await caller.callUntilResponse('DELETE', `/v1/uploads/${source.slice('upload:'.length)}`, {
    key,
  })
  // A 404 means that an earlier try deleted the upload, but its response was lost.
  if (status === 200 || status === 404) return 'gone'
  if (status === 409 && body.error?.code === 'upload_in_use') return 'in_use'
  throw new Error(`the deletion of an upload returned ${status}: ${JSON.stringify(body)}`)
}

export const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
