import type * as S3 from '@aws-sdk/client-s3'
import { isFileKey, isStoreKey } from './store.ts'

/** A folder in a bucket. Keys start with `folder`, which is empty or ends with a slash. */
type BucketFolder = { bucket: string; folder: string }

export async function* listKeys(
  client: S3.S3Client,
  s3: typeof S3,
  { bucket, folder }: BucketFolder,
  before: Date,
): AsyncIterable<string> {
  for await (const page of s3.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: folder })) {
    for (const { Key = '', LastModified } of page.Contents ?? []) {
      const key = Key.slice(folder.length)
      if (isFileKey(key) && LastModified !== undefined && LastModified < before) yield key
    }
  }
}

/** Aborts unfinished uploads that started before `before`, because S3 charges for their parts. */
export async function sweepUploads(
  client: S3.S3Client,
  s3: typeof S3,
  bucketFolder: BucketFolder,
  before: Date,
): Promise<number> {
  const { bucket, folder } = bucketFolder
  return await endUploads(client, s3, { bucket, prefix: folder }, ({ Key = '', Initiated }) => {
    return Initiated !== undefined && Initiated < before && isStoreKey(Key.slice(folder.length))
  })
}

export async function endUploadsOf(client: S3.S3Client, s3: typeof S3, bucket: string, key: string): Promise<void> {
  await endUploads(client, s3, { bucket, prefix: key }, ({ Key }) => Key === key)
}

/** Aborts unfinished uploads, and returns their number. If the server cannot list uploads, returns 0. */
async function endUploads(
  client: S3.S3Client,
  s3: typeof S3,
  { bucket, prefix }: { bucket: string; prefix: string },
  isDue: (upload: S3.MultipartUpload) => boolean,
): Promise<number> {
  const bucketFolder = { Bucket: bucket, Prefix: prefix }
  let ended = 0
  let from: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (from !== undefined) {
    const page: S3.ListMultipartUploadsCommandOutput = await client
      .send(new s3.ListMultipartUploadsCommand({ ...bucketFolder, ...from }))
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'NotImplemented') return { $metadata: {} }
        throw error
      })
    for (const upload of (page.Uploads ?? []).filter(isDue)) {
      const { Key, UploadId } = upload
      await client
        .send(new s3.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
        .then(() => void (ended += 1))
        // A replicated store may list an upload that no longer exists. Ignore it, and abort the other uploads.
        .catch((error: unknown) => {
          if (!(error instanceof Error && error.name === 'NoSuchUpload')) throw error
        })
    }
    from = nextPage(page)
  }
  return ended
}

function nextPage(page: S3.ListMultipartUploadsCommandOutput) {
  if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return undefined
  const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
  return { KeyMarker, ...(UploadIdMarker !== undefined && { UploadIdMarker }) }
}
