import { z } from 'zod'
import type { ApiErrorCode } from '../domain/errors.ts'
import { API_ERRORS, ERROR_TYPES, INVALID_FIELD_CODES, UPLOAD_ERROR_CODES, URL_ERROR_CODES } from '../domain/errors.ts'

const CODES = Object.keys(API_ERRORS) as ApiErrorCode[]

const invalidField = z
  .strictObject({
    param: z.string().meta({ description: 'Dotted path of the field.', examples: ['operations.0.width'] }),
    code: z
      .enum([...INVALID_FIELD_CODES, ...URL_ERROR_CODES, ...UPLOAD_ERROR_CODES])
      .meta({ description: 'What is wrong with it.' }),
    message: z.string().meta({ description: 'For people: what is wrong and what is allowed.' }),
  })
  .meta({ id: 'InvalidField', description: 'One invalid field or refused URL of a call.' })

const details = z
  .strictObject({
    type: z
      .enum([...new Set(Object.values(ERROR_TYPES))])
      .meta({ description: 'The kind of error; it follows from the status.' }),
    code: z.enum(CODES).meta({ description: 'Stable; branch on it. The table of error codes tells them all.' }),
    message: z.string().meta({ description: 'For people: what is wrong and what to do.' }),
    param: z.string().optional().meta({ description: 'Dotted path of the first invalid field.' }),
    errors: z
      .array(invalidField)
      .optional()
      .meta({ description: 'Every invalid field, or every refused URL, in the order of the document.' }),
    doc_url: z
      .string()
      .meta({ format: 'uri', description: 'Page that tells what the code means, and what to do then.' }),
    request_id: z
      .string()
      .meta({ description: 'The id of this call, also in the header Request-Id; quote it when you ask for help.' }),
  })
  .meta({ id: 'ErrorDetails', description: 'Why the call was refused.' })

/** Spec 7.1: the body of every refused call. */
export const apiError = z.strictObject({ error: details }).meta({ id: 'ApiError', description: 'A refused call.' })

export type ErrorBody = z.output<typeof apiError>
