import { z } from 'zod'
import { FORMATS_OF_OUTPUTS, OUTPUT_FORMATS } from '../domain/media.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { schemaName } from '../lib/schema-name.ts'
import { timestamp, url } from './fields.ts'

const FORMATS = [...FORMATS_OF_OUTPUTS, ...OUTPUT_FORMATS.video, ...OUTPUT_FORMATS.document] as const

const resultFile = z
  .strictObject({
    url: url('Signed download link. Anyone with the link can download the file.'),
    url_expires_at: timestamp('Time when the file is deleted and the link expires.'),
    format: z.enum(FORMATS).meta({ description: 'File format in lowercase.' }),
    size: z.int().nullable().meta({ description: 'Size in bytes.' }),
    sha256: z.string().meta({ description: 'SHA-256 of the file in hex.' }),
    name: z.string().optional().meta({ description: 'Name of the output, for a request with `outputs`.' }),
    width: z.int().positive().optional().meta({ description: 'Width in pixels, for a request with `outputs`.' }),
    height: z.int().positive().optional().meta({ description: 'Height in pixels, for a request with `outputs`.' }),
  })
  .meta({ id: 'ResultFile', description: 'A file of a result.' })

export function resultSchema(endpoint: Endpoint) {
  const metadata = endpoint.data.meta({
    id: `${schemaName(endpoint.name)}Facts`,
    description: `Metadata in \`result.data\` of ${endpoint.name}.`,
  })
  return z
    .strictObject({
      data: metadata,
      files: z.array(resultFile).meta({
        description: 'The resulting files, in the order of `outputs`; empty for reads.',
      }),
      deleted_at: timestamp(
        'Time when the files are deleted. Reads also have this field, although they make no files.',
      ).optional(),
    })
    .meta({ id: `${schemaName(endpoint.name)}Result`, description: `Result of ${endpoint.name}.` })
}
