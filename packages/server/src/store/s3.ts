import type { Readable } from 'node:stream'
import type { GetObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { Upload } from '@aws-sdk/lib-storage'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import { openResult } from './result-file.ts'
import { endUploadsOf, listKeys, sweepUploads } from './s3-listing.ts'
import { writeParts } from './s3-write.ts'
import type { Store } from './store.ts'
import { isStoreKey, newStoreKey } from './store.ts'

/** The bucket, or the part of one, that results are kept in. */
export type BucketLocation = {
  bucket: string
  /** Without slashes at its ends; empty for the whole bucket. */
  prefix: string
  /** `undefined` for Amazon's own. */
  endpoint: string | undefined
  /** `undefined`: `AWS_REGION`, or any for a server of one's own. */
  region: string | undefined
}

/** Most results are smaller and go up in one call; of the others so much is held in memory, twice. S3's least is 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2

/** One call of the store, and how often it is made: a part that is not up by then is sent again. */
const CONNECT_MS = 5_000
const CALL_MS = 60_000
const TRIES = 3

/** An upload may take so long, and longer by a second for every MiB: slower than that is as good as away. */
const UPLOAD_MS = 60_000

const LONGEST_LINK_SECONDS = 60

/**
 * A store in a bucket of any S3-compatible server. Its credentials are the usual `AWS_*` variables or the machine's
 * role. Throws `OperatorError` when it has none, or no region.
 *
 * The server need not answer yet. The library is loaded here, so that a service without a bucket does without it.
 */
export async function openS3Store(location: BucketLocation): Promise<Store> {
  const [s3, { Upload }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/lib-storage'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  const client = await openClient(s3.S3Client, location)
  const folder = location.prefix === '' ? '' : `${location.prefix}/`
  const place = (key: string) => {
    if (!isStoreKey(key)) throw new RangeError(`not a key of the store: ${key}`)
    return { Bucket: location.bucket, Key: folder + key }
  }

  return {
    async put(path, format, requestId) {
      const key = newStoreKey(format, requestId)
      const sizes = { partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }
      await send(path, (body) => {
        const params = { ...place(key), Body: body, ContentType: CONTENT_TYPES[format] }
        return new Upload({ client, params, ...sizes })
      })
      return key
    },
    async write(key, body) {
      await writeParts(client, s3, place(key), body)
    },
    async size(key) {
      const head = await unlessMissing(client.send(new s3.HeadObjectCommand(place(key))))
      return head?.ContentLength
    },
    async check() {
      // Not a HEAD of an object: its 404 does not say whether the file or the bucket is missing.
      await client.send(new s3.HeadBucketCommand({ Bucket: location.bucket }))
    },
    async open(key, range) {
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
      const found = await unlessMissing(client.send(new s3.GetObjectCommand({ ...place(key), ...part })))
      if (found?.Body === undefined) return undefined
      // `bytes 7-12/19`: the length of a part is not that of the file.
      const size = found.ContentRange === undefined ? found.ContentLength : Number(found.ContentRange.split('/')[1])
      return { body: found.Body as Exclude<typeof found.Body, Blob | ReadableStream>, size: size ?? 0 }
    },
    async delete(key) {
      // One by one: `DeleteObjects` wants a checksum that servers disagree on.
      await unlessMissing(client.send(new s3.DeleteObjectCommand(place(key))))
    },
    async discard(key) {
      await unlessMissing(client.send(new s3.DeleteObjectCommand(place(key))))
      await endUploadsOf(client, s3, location.bucket, place(key).Key)
    },
    async link(key, { method, ...shown }, seconds) {
      const asked = { ...place(key), ...headersOf(shown) }
      const command = method === 'GET' ? new s3.GetObjectCommand(asked) : new s3.HeadObjectCommand(asked)
      return await getSignedUrl(client, command, { expiresIn: Math.min(seconds, LONGEST_LINK_SECONDS) })
    },
    keys: (before) => listKeys(client, s3, { bucket: location.bucket, folder }, before),
    sweep: (before) => sweepUploads(client, s3, { bucket: location.bucket, folder }, before),
  }
}

/** What the bucket is to answer with, beside the file. */
const headersOf = ({ contentType, contentDisposition }: { contentType: string; contentDisposition: string }) =>
  ({
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
  }) satisfies Partial<GetObjectCommandInput>

/** Sends a file up; an upload that takes far too long is aborted, and rejects. */
async function send(path: string, start: (body: Readable) => Upload): Promise<void> {
  using result = openResult(path)
  const body = result.read()
  const upload = start(body)
  const late = setTimeout(() => void upload.abort(), UPLOAD_MS + result.size / 1024)
  try {
    await upload.done()
  } finally {
    clearTimeout(late)
    body.destroy()
  }
}

async function openClient(Client: typeof S3Client, { endpoint, region }: BucketLocation): Promise<S3Client> {
  const client = new Client({
    ...(endpoint !== undefined && { endpoint }),
    // Servers of one's own have no regions, but a signature needs the name of one.
    ...(region !== undefined ? { region } : endpoint !== undefined && { region: 'us-east-1' }),
    // A bucket's name in the host needs DNS and certificates that only Amazon is sure to have.
    forcePathStyle: true,
    // Servers older than 2025 refuse the checksums that the library sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: TRIES,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: CALL_MS,
      throwOnRequestTimeout: true,
      socketTimeout: CALL_MS,
    },
  })
  try {
    await Promise.all([client.config.region(), client.config.credentials()])
    return client
  } catch (cause) {
    client.destroy()
    throw new OperatorError(
      'STORAGE_URL names a bucket, but no credentials or no region are set: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or run where a role gives them.',
      { cause },
    )
  }
}

/** `undefined` when the store says that there is no such file; a bucket that is not there is another matter. */
async function unlessMissing<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    // An answer to HEAD has no body to name the error in.
    if (error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name)) return undefined
    throw error
  }
}
