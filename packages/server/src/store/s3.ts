import type { GetObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import { openResult } from './result-file.ts'
import { endUploadsOf, listKeys, sweepUploads } from './s3-listing.ts'
import { writeParts } from './s3-write.ts'
import type { FileResponse, Store } from './store.ts'
import { isStoreKey, newStoreKey } from './store.ts'

type BucketLocation = {
  bucket: string
  prefix: string
  endpoint: string | undefined
  region: string | undefined
}

export type StoreAccess = {
  /** If missing, the AWS SDK uses `AWS_*` variables, a profile, or a machine role. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  ca?: string | undefined
}

/** The size of a part of a result. Most results are smaller than a part, and need one call. */
const RESULT_PART_BYTES = 8 * 1024 * 1024

const CONNECT_MS = 5_000
const CALL_MS = 60_000
const TRIES = 3

/** The timeout of storing a result is this time plus 1 s per MiB. A slower store counts as unavailable. */
const STORE_MS = 60_000

const MAX_LINK_SECONDS = 60

const MAX_SOCKETS = 50

export async function openS3Store(location: BucketLocation, access: StoreAccess = {}): Promise<Store> {
  const [s3, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  const client = await openClient(s3.S3Client, location, access)
  const folder = location.prefix === '' ? '' : `${location.prefix}/`
  const objectOf = (key: string) => {
    if (!isStoreKey(key)) throw new RangeError(`not a key of the store: ${key}`)
    return { Bucket: location.bucket, Key: folder + key }
  }

  return {
    async put(path, format, requestId) {
      const key = newStoreKey(format, requestId)
      using result = openResult(path)
      const object = { ...objectOf(key), ContentType: CONTENT_TYPES[format] }
      await writeParts(client, s3, object, result.read(), {
        partBytes: Math.max(1, Math.min(RESULT_PART_BYTES, result.size)),
        signal: AbortSignal.timeout(STORE_MS + Math.ceil(result.size / 1024)),
      })
      return key
    },
    async write(key, body) {
      await writeParts(client, s3, objectOf(key), body)
    },
    async size(key) {
      const head = await unlessMissing(client.send(new s3.HeadObjectCommand(objectOf(key))))
      return head?.ContentLength
    },
    async check() {
      // HEAD of an object does not show whether the object or the bucket is missing.
      await client.send(new s3.HeadBucketCommand({ Bucket: location.bucket }))
    },
    async open(key, range) {
      const part = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
      const found = await unlessMissing(client.send(new s3.GetObjectCommand({ ...objectOf(key), ...part })))
      if (found?.Body === undefined) return undefined
      // In `bytes 7-12/19`, 19 is the size of the file. Content-Length is only the size of the range.
      const size = found.ContentRange === undefined ? found.ContentLength : Number(found.ContentRange.split('/')[1])
      return { body: found.Body as Exclude<typeof found.Body, Blob | ReadableStream>, size: size ?? 0 }
    },
    async delete(key) {
      // `DeleteObjects` requires a checksum, which some servers compute in another way.
      await unlessMissing(client.send(new s3.DeleteObjectCommand(objectOf(key))))
    },
    async discard(key) {
      await unlessMissing(client.send(new s3.DeleteObjectCommand(objectOf(key))))
      await endUploadsOf(client, s3, location.bucket, objectOf(key).Key)
    },
    async link(key, { method, ...shown }, seconds) {
      const input = { ...objectOf(key), ...headersOf(shown) }
      const command = method === 'GET' ? new s3.GetObjectCommand(input) : new s3.HeadObjectCommand(input)
      return await getSignedUrl(client, command, { expiresIn: Math.min(seconds, MAX_LINK_SECONDS) })
    },
    keys: (before) => listKeys(client, s3, { bucket: location.bucket, folder }, before),
    sweep: (before) => sweepUploads(client, s3, { bucket: location.bucket, folder }, before),
  }
}

const headersOf = ({ contentType, contentDisposition, cacheControl }: Omit<FileResponse, 'method'>) =>
  ({
    ResponseContentType: contentType,
    ResponseContentDisposition: contentDisposition,
    ResponseCacheControl: cacheControl,
  }) satisfies Partial<GetObjectCommandInput>

async function openClient(
  Client: typeof S3Client,
  { endpoint, region }: BucketLocation,
  { credentials, ca }: StoreAccess,
): Promise<S3Client> {
  const client = new Client({
    ...(credentials !== undefined && { credentials }),
    ...(endpoint !== undefined && { endpoint }),
    // Servers other than Amazon have no regions, but the signature must contain a region.
    ...(region !== undefined ? { region } : endpoint !== undefined && { region: 'us-east-1' }),
    // A bucket in the host name requires DNS and certificates, which many servers lack.
    forcePathStyle: true,
    // Servers from before 2025 reject the checksums that the SDK sends by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: TRIES,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: CALL_MS,
      throwOnRequestTimeout: true,
      socketTimeout: CALL_MS,
      ...(ca !== undefined && { httpsAgent: { ca, keepAlive: true, maxSockets: MAX_SOCKETS } }),
    },
  })
  try {
    await Promise.all([client.config.region(), client.config.credentials()])
    return client
  } catch (cause) {
    client.destroy()
    throw new OperatorError(
      'STORAGE_URL names a bucket, but the credentials or the region are missing: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and AWS_REGION, or run with a machine role.',
      { cause },
    )
  }
}

/** Returns the response, or `undefined` if a file does not exist. Throws if the bucket does not exist. */
async function unlessMissing<Response>(response: Promise<Response>): Promise<Response | undefined> {
  try {
    return await response
  } catch (error) {
    // A response to HEAD has no body, so its error contains only a name.
    if (error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name)) return undefined
    throw error
  }
}
