import { z } from 'zod'
import { FAILURE_CODES } from '../domain/errors.ts'

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
