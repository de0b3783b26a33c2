import {
  DEADLINE_MS,
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_ADDRESS,
  MAX_FRAME_PIXELS,
  MAX_RESULT_BYTES,
  MAX_SOURCE_PIXELS,
  MAX_WATERMARK_BYTES,
} from '@mediamill/contract/domain/limits'
import { bytes, durationUpTo, integer, setting } from './parse.ts'

export const DURATION = 'a positive number with s, m, h, or d, such as 90s'
const DEADLINE = { parse: durationUpTo(24), allowed: `${DURATION}, at most 24d` }
const BYTES = { parse: bytes, allowed: 'bytes, or a number with KB, MB, or GB' }

export const LIMIT_SETTINGS = {
  maxFramePixels: setting({
    variable: 'MAX_FRAME_PIXELS',
    fallback: String(MAX_FRAME_PIXELS),
    value: MAX_FRAME_PIXELS,
    ...integer(1, 1_000_000_000, ' of pixels'),
    meaning: 'Pixels of one frame of a source, watermark image, intermediate image, or result.',
    role: 'worker',
  }),
  maxSourcePixels: setting({
    variable: 'MAX_SOURCE_PIXELS',
    fallback: String(MAX_SOURCE_PIXELS),
    value: MAX_SOURCE_PIXELS,
    ...integer(1, 10_000_000_000, ' of pixels'),
    meaning: 'Pixels of all frames of a source image together.',
    role: 'worker',
  }),
  maxWatermarkBytes: setting({
    variable: 'MAX_WATERMARK_BYTES',
    fallback: '25MB',
    value: MAX_WATERMARK_BYTES,
    ...BYTES,
    meaning: 'Size of a watermark image.',
    role: 'worker',
  }),
  maxImageResultBytes: setting({
    variable: 'MAX_IMAGE_RESULT_BYTES',
    fallback: '512MB',
    value: MAX_RESULT_BYTES.image,
    ...BYTES,
    meaning: 'Size of the result of an image request.',
    role: 'worker',
  }),
  maxVideoResultBytes: setting({
    variable: 'MAX_VIDEO_RESULT_BYTES',
    fallback: '2GB',
    value: MAX_RESULT_BYTES.video,
    ...BYTES,
    meaning: 'Size of the result of a video request.',
    role: 'worker',
  }),
  maxDocumentResultBytes: setting({
    variable: 'MAX_DOCUMENT_RESULT_BYTES',
    fallback: '512MB',
    value: MAX_RESULT_BYTES.document,
    ...BYTES,
    meaning: 'Size of the result of a document request.',
    role: 'worker',
  }),
  maxConnections: setting({
    variable: 'MAX_CONNECTIONS',
    fallback: String(MAX_CONNECTIONS),
    value: MAX_CONNECTIONS,
    ...integer(1, 1_000_000),
    meaning: 'Open connections of one API process.',
    role: 'api',
  }),
  maxConnectionsPerAddress: setting({
    variable: 'MAX_CONNECTIONS_PER_ADDRESS',
    fallback: String(MAX_CONNECTIONS_PER_ADDRESS),
    value: MAX_CONNECTIONS_PER_ADDRESS,
    ...integer(1, 1_000_000),
    meaning: 'Open connections of one API process from one public address.',
    role: 'api',
  }),
  imageDeadlineMs: setting<number>({
    variable: 'IMAGE_DEADLINE',
    fallback: '60s',
    value: DEADLINE_MS.image,
    ...DEADLINE,
    meaning: 'Processing time of an image.',
    role: 'worker',
  }),
  videoDeadlineMs: setting<number>({
    variable: 'VIDEO_DEADLINE',
    fallback: '4h',
    value: DEADLINE_MS.video,
    ...DEADLINE,
    meaning: 'Processing time of a video.',
    role: 'worker',
  }),
  documentDeadlineMs: setting<number>({
    variable: 'DOCUMENT_DEADLINE',
    fallback: '5m',
    value: DEADLINE_MS.document,
    ...DEADLINE,
    meaning: 'Processing time of a document.',
    role: 'worker',
  }),
}
