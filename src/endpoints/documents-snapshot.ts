import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { imageFormat, output, pixelSize, size } from './facts.ts'

export const documentsSnapshot = defineEndpoint({
  name: 'documents/snapshot',
  description: 'Makes an image of one page of a PDF, at 150 dots an inch.',
  media: 'document',
  paidOnly: false,
  body: z.strictObject({
    page: z.int().min(1).max(2000).default(1).meta({ description: 'Page, counted from 1.' }),
    output: output(['jpg', 'png']),
  }),
  price: microUsd(2_000),
  priceUnit: 'request',
  data: z.strictObject({ ...pixelSize, format: imageFormat, size, page: z.int().positive() }),
  example: {
    body: { page: 3, output: { format: 'png' } },
    data: { width: 1240, height: 1754, format: 'PNG', size: 310_442, page: 3 },
  },
})
