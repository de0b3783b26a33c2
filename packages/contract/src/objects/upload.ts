import { z } from 'zod'
import { FOLDER_NAMES, MAX_FILENAME_LENGTH, ORIGIN, UNFIT_FILENAME } from '../domain/uploads.ts'
import { text } from '../endpoints/common-fields.ts'
import { kind, timestamp, url } from './fields.ts'

const heading = {
  id: z.string().meta({ description: 'Identifier of the upload.', examples: ['upl_5d41402abc4b2a76b9719d911017c592'] }),
  object: kind('upload'),
}
const named = {
  source: z.string().meta({
    description: 'What to send as `source` or `image_url` to use it.',
    examples: ['upload:upl_5d41402abc4b2a76b9719d911017c592'],
  }),
  filename: z.string().optional().meta({ description: 'As it was sent.' }),
  size: z.int().meta({ description: 'Bytes of the file.' }),
}
const times = {
  created_at: timestamp('When it was begun.'),
  expires_at: timestamp('When it is deleted, unless an open request uses it then.'),
}

export const completeUpload = z
  .strictObject({
    ...heading,
    status: z.literal('complete').meta({ description: 'Always `complete` here.' }),
    ...named,
    sha256: z.string().meta({ description: 'SHA-256 of the file, in hex.' }),
    format: z.string().nullable().meta({ description: 'What the file is by its content; null when we do not know.' }),
    ...times,
  })
  .meta({ id: 'CompleteUpload', description: 'A file that is there and can be used.' })

const waiting = z
  .strictObject({
    ...heading,
    status: z.literal('waiting').meta({ description: 'Always `waiting` here.' }),
    ...named,
    received: z.int().meta({ description: 'Bytes that came so far.' }),
    upload_url: url('Signed URL to send the file to, without a key: by PUT, or resumable by tus 1.0.'),
    ...times,
  })
  .meta({ id: 'WaitingUpload', description: 'A file that is still to come.' })

/** Rulings 17: a file of a client, kept for a day. */
export const upload = z
  .discriminatedUnion('status', [completeUpload, waiting])
  .meta({ id: 'Upload', description: 'A file that a client sent, or is to send; `status` says which.' })

export type UploadBody = z.output<typeof upload>

/** The body that asks for a signed URL. */
export const newUpload = z
  .strictObject({
    filename: text(MAX_FILENAME_LENGTH)
      .refine(
        (value) => !UNFIT_FILENAME.test(value),
        'must have no control characters and no path separators (/ and \\)',
      )
      .refine((value) => !FOLDER_NAMES.has(value), 'must not be "." or ".."')
      .optional()
      .meta({
        description:
          'Echoed; nothing depends on it. No control characters, bidi controls included, `/`, or `\\`, and not `.` or `..`.',
      }),
    size: z.int().min(1).meta({ description: "Bytes of the file; at most the key's `max_source_bytes`." }),
    origin: z
      .string()
      .regex(ORIGIN)
      .optional()
      .meta({ description: 'The web page that sends the file: the only origin whose browser may use the URL.' }),
  })
  .meta({ id: 'NewUpload', description: 'Asks for a URL that a browser can send a file to.' })

export const deletedUpload = z
  .strictObject({
    ...heading,
    deleted: z.literal(true).meta({ description: 'Always true.' }),
  })
  .meta({ id: 'DeletedUpload', description: 'An upload that is not there any more.' })

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
