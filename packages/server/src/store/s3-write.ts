import type * as S3 from '@aws-sdk/client-s3'

type ObjectToWrite = { Bucket: string; Key: string; ContentType?: string }

type WriteOptions = { partBytes?: number; signal?: AbortSignal }

/** The size of a part. It is the minimum of S3, to save memory: each of many parallel uploads buffers one part. */
const PART_BYTES = 5 * 1024 * 1024

/** Stores a body: as one object if it fits into one part, or else with a multipart upload. */
export async function writeParts(
  client: S3.S3Client,
  s3: typeof S3,
  object: ObjectToWrite,
  body: AsyncIterable<Buffer>,
  { partBytes = PART_BYTES, signal }: WriteOptions = {},
): Promise<void> {
  const options = signal === undefined ? {} : { abortSignal: signal }
  const sent: S3.CompletedPart[] = []
  let upload: { UploadId: string } | undefined
  try {
    for await (const { bytes, isLast } of joinParts(body, partBytes)) {
      if (isLast && upload === undefined)
        return void (await client.send(new s3.PutObjectCommand({ ...object, Body: bytes }), options))
      upload ??= await beginUpload(client, s3, object, options)
      const PartNumber = sent.length + 1
      const part = { ...object, ...upload, PartNumber, Body: bytes }
      const { ETag } = await client.send(new s3.UploadPartCommand(part), options)
      sent.push({ PartNumber, ETag })
    }
    const whole = { ...object, UploadId: upload?.UploadId, MultipartUpload: { Parts: sent } }
    await client.send(new s3.CompleteMultipartUploadCommand(whole), options)
  } catch (error) {
    // If this fails too, a later cleanup deletes the parts.
    if (upload !== undefined)
      await client.send(new s3.AbortMultipartUploadCommand({ ...object, ...upload })).catch(() => undefined)
    throw error
  }
}

/** Joins the chunks of a body to parts. All parts share one buffer, so use a part before requesting the next part. */
async function* joinParts(
  body: AsyncIterable<Buffer>,
  partBytes: number,
): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  const part = Buffer.allocUnsafeSlow(partBytes)
  let used = 0
  for await (const chunk of body) {
    for (let copied = 0; copied < chunk.length; ) {
      if (used === partBytes) {
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

async function beginUpload(
  client: S3.S3Client,
  s3: typeof S3,
  object: ObjectToWrite,
  options: { abortSignal?: AbortSignal },
): Promise<{ UploadId: string }> {
  const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(object), options)
  if (UploadId === undefined) throw new Error('the bucket returned no UploadId for a new upload')
  return { UploadId }
}
