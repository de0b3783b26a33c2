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
})
