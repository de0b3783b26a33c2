import type * as S3 from '@aws-sdk/client-s3'

/** The size of a part. It is the minimum of S3, to save memory: each of many parallel uploads buffers one part. */
const PART_BYTES = 5 * 1024 * 1024

export async function writeParts(
  client: S3.S3Client,
  s3: typeof S3,
  object: { Bucket: string; Key: string },
  body: AsyncIterable<Buffer>,
): Promise<void> {
  const parts = new Parts(client, s3, object)
  try {
    for await (const part of joinParts(body)) await parts.send(part)
    await parts.complete()
  } catch (error) {
    // If this fails too, a later cleanup deletes the parts.
    await parts.abort().catch(() => undefined)
    throw error
  }
}

/** Joins the chunks of a body to parts. All parts share one buffer, so use a part before requesting the next part. */
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
  }
  yield { bytes: part.subarray(0, used), isLast: true }
}

class Parts {
  readonly #client: S3.S3Client
  readonly #s3: typeof S3
  readonly #object: { Bucket: string; Key: string }
  readonly #sent: S3.CompletedPart[] = []
  #uploadId: string | undefined

  constructor(client: S3.S3Client, s3: typeof S3, object: { Bucket: string; Key: string }) {
    this.#client = client
    this.#s3 = s3
    this.#object = object
  }

  async send({ bytes, isLast }: { bytes: Buffer; isLast: boolean }): Promise<void> {
    if (isLast && this.#sent.length === 0) {
      await this.#client.send(new this.#s3.PutObjectCommand({ ...this.#object, Body: bytes }))
      return
    }
    this.#uploadId ??= await this.#begin()
    const PartNumber = this.#sent.length + 1
    const part = { ...this.#object, UploadId: this.#uploadId, PartNumber, Body: bytes }
    const { ETag } = await this.#client.send(new this.#s3.UploadPartCommand(part))
    this.#sent.push({ PartNumber, ETag })
  }

  async complete(): Promise<void> {
    if (this.#uploadId === undefined) return
    const parts = { UploadId: this.#uploadId, MultipartUpload: { Parts: this.#sent } }
    await this.#client.send(new this.#s3.CompleteMultipartUploadCommand({ ...this.#object, ...parts }))
  }

  async abort(): Promise<void> {
    if (this.#uploadId === undefined) return
    const upload = { ...this.#object, UploadId: this.#uploadId }
    await this.#client.send(new this.#s3.AbortMultipartUploadCommand(upload))
  }

  async #begin(): Promise<string> {
    const { UploadId } = await this.#client.send(new this.#s3.CreateMultipartUploadCommand(this.#object))
    if (UploadId === undefined) throw new Error('the bucket returned no UploadId for a new upload')
    return UploadId
  }
}
