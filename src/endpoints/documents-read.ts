import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { documentFacts } from './facts.ts'

export const documentsRead = defineEndpoint({
  name: 'documents/read',
  description: 'Tells the facts of a PDF without changing it.',
  media: 'document',
  paidOnly: false,
  body: z.strictObject({}),
  deadlineMs: 30_000,
  price: microUsd(500),
  priceUnit: 'request',
  data: z.strictObject({
    ...documentFacts,
    pdf_version: z.string(),
    encrypted: z.boolean(),
    page_sizes_vary: z.boolean(),
    title: z.string().nullable(),
  }),
  example: {
    body: {},
    data: {
      page_count: 12,
      page_size: { width: 595.28, height: 841.89, unit: 'pt' },
      format: 'PDF',
      size: 377_020,
      pdf_version: '1.7',
      encrypted: false,
      page_sizes_vary: false,
      title: 'Annual report',
    },
  },
})
