import { z } from 'zod'
import type { ApiErrorCode } from '../domain/errors.ts'
import {
  API_ERRORS,
  ERROR_TYPES,
  FAILURE_CODES,
  INVALID_FIELD_CODES,
  UPLOAD_ERROR_CODES,
  URL_ERROR_CODES,
} from '../domain/errors.ts'

const CODES = [...new Set([...(Object.keys(API_ERRORS) as ApiErrorCode[]), ...FAILURE_CODES])]

const invalidField = z
  .strictObject({
    param: z.string().meta({ description: 'Dotted path of the field.', examples: ['operations.0.width'] }),
    code: z
      .enum([...INVALID_FIELD_CODES, ...URL_ERROR_CODES, ...UPLOAD_ERROR_CODES])
      .meta({ description: 'Error code of the field.' }),
    message: z.string().meta({ description: 'Human-readable: the error and the valid values.' }),
  })
  .meta({ id: 'InvalidField', description: 'One invalid field or rejected URL of a call.' })

const details = z
  .strictObject({
    type: z
      .enum([...new Set(Object.values(ERROR_TYPES))])
      .meta({ description: 'Kind of error, which follows from the status.' }),
    code: z.enum(CODES).meta({ description: 'Stable code for programs. The table of error codes lists all.' }),
    message: z.string().meta({ description: 'Human-readable: the error and its fix.' }),
    param: z.string().optional().meta({ description: 'Dotted path of the first invalid field.' }),
    errors: z
      .array(invalidField)
      .optional()
      .meta({ description: 'All invalid fields or rejected URLs, in the order of the body.' }),
    doc_url: z.string().meta({ format: 'uri', description: 'Page that explains the code and the fix.' }),
    request_id: z.string().meta({
      description: 'Identifier of this call. The header Request-Id has the same value. Include it in support requests.',
    }),
  })
  .meta({ id: 'ErrorDetails', description: 'Why the call was rejected.' })

export const apiError = z.strictObject({ error: details }).meta({ id: 'ApiError', description: 'An error response.' })

export type ErrorBody = z.output<typeof apiError>

export const failure = z
  .strictObject({
    code: z.enum(FAILURE_CODES).meta({ description: 'Stable code for programs.' }),
    message: z.string().meta({ description: 'Human-readable: the error and its fix.' }),
    operation: z.int().optional().meta({ description: 'Index of the operation that failed, if any.' }),
    output: z
      .string()
      .optional()
      .meta({ description: 'Name of the output that failed, if any. `operation` is then an index of its operations.' }),
    doc_url: z.string().meta({ format: 'uri', description: 'Page that explains the code and the fix.' }),
  })
  .meta({ id: 'Failure', description: 'Why a request failed. It is not charged.' })
