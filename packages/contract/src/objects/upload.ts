import { z } from 'zod'
import { FOLDER_NAMES, MAX_FILENAME_LENGTH, ORIGIN, UNFIT_FILENAME } from '../domain/uploads.ts'
import { text } from '../endpoints/common-fields.ts'
import { kind, timestamp, url } from './fields.ts'

const heading = {
  id: z.string().meta({ description: 'Upload identifier.', examples: ['upl_5d41402abc4b2a76b9719d911017c592'] }),
  object: kind('upload'),
}
const named = {
  source: z.string().meta({
    description: 'Value for `source` or `image_url`.',
    examples: ['upload:upl_5d41402abc4b2a76b9719d911017c592'],
  }),
  filename: z.string().optional().meta({ description: 'File name, as sent.' }),
  size: z.int().meta({ description: 'Size of the file in bytes.' }),
}
const times = {
  created_at: timestamp('Creation time.'),
  expires_at: timestamp('Time when the upload is deleted. An open request that uses it delays the deletion.'),
}

export const completeUpload = z
  .strictObject({
    ...heading,
    status: z.literal('complete').meta({ description: 'Always `complete` here.' }),
    ...named,
    sha256: z.string().meta({ description: 'SHA-256 of the file in hex.' }),
    format: z.string().nullable().meta({ description: 'Detected format; null if it is unknown.' }),
    ...times,
  })
  .meta({ id: 'CompleteUpload', description: 'A complete file, ready for use.' })

const waiting = z
  .strictObject({
    ...heading,
    status: z.literal('waiting').meta({ description: 'Always `waiting` here.' }),
    ...named,
    received: z.int().meta({ description: 'Bytes received so far.' }),
    upload_url: url('Signed URL that accepts the file without a key: by PUT, or resumable by tus 1.0.'),
    ...times,
  })
  .meta({ id: 'WaitingUpload', description: 'A file that is not complete yet.' })

export const upload = z
  .discriminatedUnion('status', [completeUpload, waiting])
  .meta({ id: 'Upload', description: 'An uploaded file; `status` is `waiting` until all bytes have arrived.' })

export type UploadBody = z.output<typeof upload>

export const uploadFilename = text(MAX_FILENAME_LENGTH)
  .refine((value) => !UNFIT_FILENAME.test(value), 'must not contain control characters or path separators (/ and \\)')
  .refine((value) => !FOLDER_NAMES.has(value), 'must not be "." or ".."')
  .optional()
  .meta({
    description:
      'File name for display only. It must have no control characters, bidi controls, `/`, or `\\`, and must not be `.` or `..`.',
  })

export const newUpload = z
  .strictObject({
    filename: uploadFilename,
    size: z.int().min(1).meta({ description: "Size of the file in bytes, at most the key's `max_source_bytes`." }),
    origin: z.string().regex(ORIGIN).optional().meta({
      description: 'Origin of the web page that sends the file. Browsers may use the URL only from this origin.',
    }),
  })
  .meta({ id: 'NewUpload', description: 'Requests a signed URL, to which a browser can send a file.' })

export const deletedUpload = z
  .strictObject({
    ...heading,
    deleted: z.literal(true).meta({ description: 'Always true.' }),
  })
  .meta({ id: 'DeletedUpload', description: 'A deleted upload.' })

const ID = 'upl_5d41402abc4b2a76b9719d911017c592'
const TIMES = { created_at: '2026-11-21T09:30:00.120Z', expires_at: '2026-11-22T09:30:00.120Z' }

export const EXAMPLE_UPLOAD: UploadBody = {
  id: ID,
  object: 'upload',
  status: 'complete',
  source: `upload:${ID}`,
  size: 482_113,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  format: 'JPEG',
  ...TIMES,
}

export const EXAMPLE_DELETED = { id: ID, object: 'upload' as const, deleted: true as const }

export const EXAMPLE_NEW = { filename: 'clip.mp4', size: 1_900_000_000, origin: 'https://app.example.com' }
