import { shared } from '../text.ts'
import { apiUrl, rejection } from './call.ts'
import { CallError } from './call-error.ts'
import type { Upload } from './objects.ts'

type Options = { signal: AbortSignal; onProgress: (sentBytes: number) => void }

/** Uploads a file. Uses `XMLHttpRequest`, because `fetch` cannot report how much of a body was sent. */
export async function uploadFile(file: File, { signal, onProgress }: Options): Promise<Upload> {
  const call = new XMLHttpRequest()
  call.open('POST', apiUrl('/uploads'))
  call.responseType = 'json'
  call.setRequestHeader('content-type', 'application/octet-stream')
  call.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
  signal.addEventListener('abort', () => call.abort())
  await new Promise<unknown>((resolve, reject) => {
    call.addEventListener('load', resolve)
    call.addEventListener('abort', () => reject(signal.reason))
    call.addEventListener('error', () => reject(new CallError(0, 'unreachable', shared.serviceDoesNotRespond)))
    call.send(file)
  })
  if (call.status >= 400) throw rejection(call.status, call.response)
  return call.response as Upload
}
