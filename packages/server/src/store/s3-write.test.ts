import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { writeParts } from './s3-write.ts'

const OBJECT = { Bucket: 'b-1', Key: 'a' }
const UPLOAD = '<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>'

function nameOf({ method, url = '' }: IncomingMessage): string {
  if (method === 'POST') return url.includes('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
  if (method === 'DELETE') return 'AbortMultipartUpload'
  return url.includes('partNumber') ? 'UploadPart' : 'PutObject'
}

for (const [name, size] of [
  ['PutObject', 1],
  ['CreateMultipartUpload', 9],
  ['UploadPart', 9],
  ['CompleteMultipartUpload', 9],
] as const)
  test(`aborting the signal ends the call ${name} of a write`, async () => {
    const controller = new AbortController()
    const server = createServer((call, response) => {
      call.resume().once('end', () => {
        if (nameOf(call) !== name) return void response.setHeader('etag', '"a"').end(UPLOAD)
        controller.abort()
        call.socket.destroy()
      })
    }).listen(0, '127.0.0.1')
    after(() => {
      server.close()
      server.closeAllConnections()
    })
    await once(server, 'listening')
    const client = new s3.S3Client({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      maxAttempts: 1,
    })
    after(() => client.destroy())
    async function* body() {
      yield Buffer.alloc(size)
    }
    const written = writeParts(client, s3, OBJECT, body(), { partBytes: 4, signal: controller.signal })
    await assert.rejects(written, { name: 'AbortError' })
  })
