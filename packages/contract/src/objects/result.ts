import { z } from 'zod'
import { OUTPUT_FORMATS } from '../domain/media.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { schemaName } from '../lib/schema-name.ts'
import { timestamp, url } from './fields.ts'

const FORMATS = [...OUTPUT_FORMATS.image, ...OUTPUT_FORMATS.video, ...OUTPUT_FORMATS.document] as const

/** Spec 2.1: one element of `result.files`. */
export const resultFile = z
  .strictObject({
    url: url('Signed download link; whoever has it can download the file.'),
    url_expires_at: timestamp('When the link stops working: when the file is deleted.'),
    format: z.enum(FORMATS).meta({ description: 'File format, lower case.' }),
    size: z.int().nullable().meta({ description: 'Size in bytes.' }),
    sha256: z.string().meta({ description: 'SHA-256 of the file, in hex.' }),
  })
  .meta({ id: 'ResultFile', description: 'A file that a request made.' })

/** Spec 2.1, 2.4: the `result` of a request of one endpoint. */
export function resultSchema(endpoint: Endpoint) {
  const facts = endpoint.data.meta({
    id: `${schemaName(endpoint.name)}Facts`,
    description: `Facts in \`result.data\` of ${endpoint.name}.`,
  })
  return z
    .strictObject({
      data: facts,
      files: z.array(resultFile).meta({ description: 'The files made; none by a read.' }),
      deleted_at: timestamp('When the files are deleted; reads, which make none, carry it too.').optional(),
    })
    .meta({ id: `${schemaName(endpoint.name)}Result`, description: `What ${endpoint.name} made or found out.` })
}
