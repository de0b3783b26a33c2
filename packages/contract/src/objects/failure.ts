import { z } from 'zod'
import { FAILURE_CODES } from '../domain/errors.ts'

/** Spec 2.1, 7.2: the `error` of a request that failed. */
export const failure = z
  .strictObject({
    code: z.enum(FAILURE_CODES).meta({ description: 'Stable; branch on it.' }),
    message: z.string().meta({ description: 'For people: what was wrong and what to do.' }),
    operation: z
      .int()
      .optional()
      .meta({ description: 'Index of the operation that could not be carried out, where one is to blame.' }),
    doc_url: z
      .string()
      .meta({ format: 'uri', description: 'Page that tells what the code means, and what to do then.' }),
  })
  .meta({ id: 'Failure', description: 'Why a request failed. It is not charged.' })
