import type * as S3 from '@aws-sdk/client-s3'
import { freeChunk } from '../lib/joined-chunks.ts'

/** What strangers send is held in memory by parts of S3's least size, one at a time: many may send at once. */
const PART_BYTES = 5 * 1024 * 1024

/**
 * Stores a stream in one call or part by part. Nothing is left of a body that throws.
 *
 * All parts of a file use the same 5 MiB of memory, and its chunks are used up: of `Upload` of the library's, which
 * makes new buffers for each, an upload cost twice the processor time.
 */
export async function writeParts(
  client: S3.S3Client,
  s3: typeof S3,
  place: { Bucket: string; Key: string },
  body: AsyncIterable<Buffer>,
): Promise<void> {
  const parts = new Parts(client, s3, place)
  try {
    for await (const part of joinParts(body)) await parts.send(part)
    await parts.complete()
  } catch (error) {
    // What this leaves behind is known by its key, and ended with it.
    await parts.abort().catch(() => undefined)
    throw error
  }
}

/** Parts of the full size but the last; each is good until the next is asked for. */
async function* joinParts(body: AsyncIterable<Buffer>): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  const part = Buffer.allocUnsafeSlow(PART_BYTES)
  let used = 0
  for await (const chunk of body) {
    for (let copied = 0; copied < chunk.length; ) {
      if (used === PART_BYTES) {
        yield { bytes: part, isLast: false }
        used = 0
      }
      const count = chunk.copy(part, used, copied)
      copied += count
      used += count
    }
    freeChunk(chunk)
  }
  yield { bytes: part.subarray(0, used), isLast: true }
}

/** A file on its way to the bucket. */
class Parts {
  readonly #client: S3.S3Client
  readonly #s3: typeof S3
  readonly #place: { Bucket: string; Key: string }
  readonly #sent: S3.CompletedPart[] = []
  #uploadId: string | undefined

  constructor(client: S3.S3Client, s3: typeof S3, place: { Bucket: string; Key: string }) {
    this.#client = client
    this.#s3 = s3
    this.#place = place
  }

  async send({ bytes, isLast }: { bytes: Buffer; isLast: boolean }): Promise<void> {
    if (isLast && this.#sent.length === 0) {
      await this.#client.send(new this.#s3.PutObjectCommand({ ...this.#place, Body: bytes }))
      return
    }
    this.#uploadId ??= await this.#begin()
    const PartNumber = this.#sent.length + 1
    const part = { ...this.#place, UploadId: this.#uploadId, PartNumber, Body: bytes }
    const { ETag } = await this.#client.send(new this.#s3.UploadPartCommand(part))
    this.#sent.push({ PartNumber, ETag })
  }

  async complete(): Promise<void> {
    if (this.#uploadId === undefined) return
    const parts = { UploadId: this.#uploadId, MultipartUpload: { Parts: this.#sent } }
    await this.#client.send(new this.#s3.CompleteMultipartUploadCommand({ ...this.#place, ...parts }))
  }

  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return
    const upload = { ...this.#place, UploadId: this.#uploadId }
    await this.#client.send(new this.#s3.AbortMultipartUploadCommand(upload))
  }

  async #begin(): Promise<string> {
    const { UploadId } = await this.#client.send(new this.#s3.CreateMultipartUploadCommand(this.#place))
    if (UploadId === undefined) throw new Error('the bucket began an upload without a name')
    return UploadId
  }
}
