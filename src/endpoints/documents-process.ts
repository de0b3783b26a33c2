import { z } from 'zod'
import { OUTPUT_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { operationsSchema } from '../operations/schema.ts'
import { defineEndpoint } from './endpoint.ts'
import { documentFacts, output } from './facts.ts'

export const documentsProcess = defineEndpoint({
  name: 'documents/process',
  description: 'Runs the operations on every page of a PDF, in order; it stays a PDF with its text and links.',
  media: 'document',
  paidOnly: false,
  body: z.strictObject({
    operations: operationsSchema('document'),
    output: output(OUTPUT_FORMATS.document),
    max_pages: z.int().min(1).max(2000).optional().meta({ description: 'Keep only the first that many pages.' }),
  }),
  price: microUsd(4_000),
  priceUnit: 'page',
  data: z.strictObject(documentFacts),
  example: {
    body: {
      operations: [{ type: 'watermark', image_url: 'https://example.com/draft.png', x: 40, y: 40 }],
      max_pages: 20,
    },
    data: { page_count: 12, page_size: { width: 595.28, height: 841.89, unit: 'pt' }, format: 'PDF', size: 402_118 },
  },
})
