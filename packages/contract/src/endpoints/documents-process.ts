import { z } from 'zod'
import { MAX_PAGES } from '../domain/limits.ts'
import { OUTPUT_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { EXAMPLE_BASE_URL, sampleUrl } from '../objects/samples.ts'
import { operationsSchema } from '../operations/schema.ts'
import { defineEndpoint, operationSources } from './endpoint.ts'
import { documentMetadata, output } from './metadata.ts'

export const documentsProcess = defineEndpoint({
  name: 'documents/process',
  title: 'Process a PDF',
  description: 'Runs the operations on every page of a PDF, in order. Text and links are kept.',
  media: 'document',
  lane: 'document',
  paidOnly: false,
  body: z.strictObject({
    operations: operationsSchema('document'),
    output: output('DocumentOutput', OUTPUT_FORMATS.document, {
      active_content: z.enum(['remove', 'keep']).optional().meta({
        description:
          'Whether to remove JavaScript, embedded files, and actions that start programs, send or import data, or open other files.',
        default: 'remove',
      }),
    }),
    max_pages: z
      .int()
      .min(1)
      .max(MAX_PAGES)
      .optional()
      .meta({ description: 'Keeps only this many pages from the start.' }),
  }),
  price: microUsd(4_000),
  priceUnit: 'page',
  units: ({ max_pages: pages }) => ({ minimum: 1, maximum: typeof pages === 'number' ? pages : null }),
  data: z.strictObject(documentMetadata),
  sources: ({ operations }) => operationSources(operations),
  example: {
    body: {
      operations: [{ type: 'watermark', image_url: sampleUrl(EXAMPLE_BASE_URL, 'logo.png'), x: 40, y: 40 }],
      max_pages: 2,
    },
    data: { page_count: 2, page_size: { width: 595.28, height: 841.89, unit: 'pt' }, format: 'PDF', size: 43_176 },
  },
})
