import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { documentMetadata } from './metadata.ts'

export const documentsRead = defineEndpoint({
  name: 'documents/read',
  title: 'Read a PDF',
  description: 'Returns the metadata of a PDF.',
  media: 'document',
  lane: 'document',
  paidOnly: false,
  body: z.strictObject({}),
  deadlineMs: 30_000,
  price: microUsd(500),
  priceUnit: 'request',
  data: z.strictObject({
    ...documentMetadata,
    pdf_version: z.string().meta({ description: 'PDF version that the file declares.' }),
    encrypted: z.boolean().meta({ description: 'Whether the file is encrypted, but opens without a password.' }),
    page_sizes_vary: z.boolean().meta({ description: 'Whether pages differ in size.' }),
    title: z.string().nullable().meta({ description: 'Title in the metadata; null without a title.' }),
    has_javascript: z
      .boolean()
      .meta({ description: 'Whether the file contains JavaScript, or an XFA form, which can contain scripts.' }),
    attachments: z.int().nonnegative().meta({ description: 'Files embedded in the document.' }),
  }),
  example: {
    body: {},
    data: {
      page_count: 3,
      page_size: { width: 595.28, height: 841.89, unit: 'pt' },
      format: 'PDF',
      size: 24_919,
      pdf_version: '1.7',
      encrypted: false,
      page_sizes_vary: false,
      title: 'A sample report',
      has_javascript: false,
      attachments: 0,
    },
  },
})
