import { z } from 'zod'

/** Longest URL that is taken anywhere (rulings 14). */
export const MAX_URL_LENGTH = 2048

const METADATA = { keys: 20, keyLength: 40, valueLength: 500 }

/** Characters are Unicode code points, as people count them (rulings 14). */
const lengthOf = (text: string) => [...text].length

/** A text of at most `maximum` characters. */
export const text = (maximum: number) =>
  z
    .string()
    .refine((value) => lengthOf(value) <= maximum, {
      error: `must have at most ${maximum} characters`,
      params: { code: 'too_long' },
    })
    .meta({ maxLength: maximum })

const url = () => z.string().meta({ format: 'uri', maxLength: MAX_URL_LENGTH })

/**
 * Checked by hand: zod's records skip a key named `__proto__`, and here it is a key like any other (rulings 14).
 */
const metadata = z
  .custom<Record<string, string>>()
  .superRefine((value: unknown, context) => {
    const report = (code: string, message: string, path: string[] = []) =>
      context.addIssue({ code: 'custom', message, path, params: { code } })
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      report('invalid_type', 'must be an object')
      return
    }
    const entries = Object.entries(value)
    if (entries.length > METADATA.keys) report('too_long', `must have at most ${METADATA.keys} keys`)
    for (const [key, item] of entries.slice(0, 10 * METADATA.keys)) {
      if (lengthOf(key) > METADATA.keyLength) {
        report('too_long', `must have a key of at most ${METADATA.keyLength} characters`, [key])
      }
      if (typeof item !== 'string') report('invalid_type', 'must be a string', [key])
      else if (lengthOf(item) > METADATA.valueLength) {
        report('too_long', `must have at most ${METADATA.valueLength} characters`, [key])
      }
    }
  })
  .meta({
    type: 'object',
    maxProperties: METADATA.keys,
    propertyNames: { maxLength: METADATA.keyLength },
    additionalProperties: { type: 'string', maxLength: METADATA.valueLength },
  })

/** The fields that every processing endpoint takes (Spec 4.1). URLs are judged apart, with codes of their own. */
export const commonFields = {
  source: url().meta({ description: 'Public http or https URL of the file.' }),
  webhook_url: url()
    .optional()
    .meta({ description: "Where the finished request is posted, instead of the account's." }),
  customer: text(64).optional().meta({ description: 'Your own customer, echoed and used to group usage.' }),
  metadata: metadata.optional().meta({ description: 'Your own keys and texts, echoed.' }),
}
