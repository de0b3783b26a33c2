import { z } from 'zod'
import { MAX_CUSTOMER_LENGTH, MAX_METADATA, MAX_URL_LENGTH } from '../domain/limits.ts'

/** Returns the length of a text in Unicode code points (api.json.1). */
const lengthOf = (text: string) => [...text].length

export const text = (maximum: number) =>
  z
    .string()
    .refine((value) => lengthOf(value) <= maximum, {
      error: ({ input }) => `must have at most ${maximum} characters (got ${lengthOf(String(input))})`,
      params: { code: 'too_long' },
    })
    .meta({ maxLength: maximum })

const url = () => z.string().meta({ format: 'uri', maxLength: MAX_URL_LENGTH })

/** The schema of `metadata`. A zod record would ignore the key `__proto__`, which is valid (requests.object.3). */
export const metadata = z
  .custom<Record<string, string>>()
  .superRefine((value: unknown, context) => {
    const report = (code: string, message: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', message, path, params: { code } })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report('invalid_type', 'must be an object')
      return
    }
    const entries = Object.entries(value)
    if (entries.length > MAX_METADATA.keys) {
      report('too_long', `must have at most ${MAX_METADATA.keys} keys (got ${entries.length})`)
    }
    for (const [key, item] of entries.slice(0, 10 * MAX_METADATA.keys)) {
      if (lengthOf(key) > MAX_METADATA.keyLength) {
        report('too_long', `must have a key of at most ${MAX_METADATA.keyLength} characters (got ${lengthOf(key)})`, [
          key,
        ])
      }
      if (typeof item !== 'string') report('invalid_type', 'must be a string', [key])
      else if (lengthOf(item) > MAX_METADATA.valueLength) {
        report('too_long', `must have at most ${MAX_METADATA.valueLength} characters (got ${lengthOf(item)})`, [key])
      }
    }
  })
  .meta({
    type: 'object',
    maxProperties: MAX_METADATA.keys,
    propertyNames: { maxLength: MAX_METADATA.keyLength },
    additionalProperties: { type: 'string', maxLength: MAX_METADATA.valueLength },
  })

/** The fields that every processing call has. URLs are validated later, because their errors have their own codes. */
export const commonFields = {
  source: url().meta({ description: 'Public http or https URL of the file, or an upload: `upload:upl_…`.' }),
  webhook_url: url().optional().meta({ description: "URL for the webhook of this request, instead of the account's." }),
  customer: text(MAX_CUSTOMER_LENGTH)
    .optional()
    .meta({ description: 'Your own customer identifier, returned in responses, webhooks, and usage reports.' }),
  metadata: metadata.optional().meta({ description: 'Your own keys and values, returned in responses and webhooks.' }),
}
