import { MAX_OUTPUTS } from '@mediamill/contract/domain/limits'
import type { OutputFormat } from '@mediamill/contract/domain/media'
import { CONTENT_TYPES } from '@mediamill/contract/domain/media'
import type { EngineReply } from '@mediamill/engines/protocol/messages'
import { z } from 'zod'

const MAX_TEXT_CHARACTERS = 10_000

// PostgreSQL rejects NUL, and replaces unpaired surrogates.
// security check: text that the database cannot store
const text = z
  .string()
  .max(MAX_TEXT_CHARACTERS)
  .refine((value) => value.isWellFormed() && !value.includes('\0'))
const scalar = z.union([text, z.number(), z.boolean(), z.null()])
const name = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/)

/** A value with fields, for example `page_size`, or an element of `colors`. */
const nested = z.record(name, scalar)
// security check: metadata of any depth
const data = z.record(name, z.union([scalar, nested, z.array(nested).max(100)]))

const file = z.strictObject({
  path: z.string().min(1).max(4096),
  format: z.enum(Object.keys(CONTENT_TYPES) as [OutputFormat, ...OutputFormat[]]),
  size: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  width: z.int().min(1).exactOptional(),
  height: z.int().min(1).exactOptional(),
})

const reply: z.ZodType<EngineReply> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('progress'), percent: z.number().min(0).max(100) }),
  z.strictObject({ type: z.literal('read'), offset: z.int().min(0), length: z.int().min(1) }),
  z.strictObject({ type: z.literal('reserve'), bytes: z.int().min(0) }),
  z.strictObject({ type: z.literal('estimate'), units: z.int().min(1).max(1_000_000) }),
  z.strictObject({
    type: z.literal('done'),
    data,
    // security check: any number of results
    files: z.array(file).max(MAX_OUTPUTS),
    units: z.int().min(1).max(1_000_000),
  }),
  z.strictObject({
    type: z.literal('failed'),
    error: z.strictObject({
      // security check: an unknown error code
      code: z.enum(['unsupported_media', 'encrypted_document', 'processing_failed']),
      message: text.min(1).max(1000),
      operation: z.int().min(0).max(1000).exactOptional(),
      output: z
        .string()
        .regex(/^[a-z0-9_-]{1,64}$/)
        .exactOptional(),
    }),
    // The cause is only logged, so a long cause does not make the reply invalid.
    cause: z
      .string()
      .transform((cause) => cause.slice(0, MAX_TEXT_CHARACTERS))
      .exactOptional(),
  }),
])

export function parseReply(line: string): EngineReply | undefined {
  try {
    // security check: a reply of any shape
    return reply.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}
