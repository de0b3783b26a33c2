import { z } from 'zod'
import { MAX_PAGES } from '../domain/limits.ts'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint, exactly } from './endpoint.ts'
import { imageFormat, pixelSize, size, stillOutput } from './metadata.ts'
import { countOutputs, outputSources, stillOutputs } from './outputs.ts'

export const documentsSnapshot = defineEndpoint({
  name: 'documents/snapshot',
  title: 'Take a snapshot of a page',
  description: 'Renders one page of a PDF as an image, at 150 dots per inch.',
  media: 'document',
  lane: 'document',
  paidOnly: false,
  body: z.strictObject({
    page: z.int().min(1).max(MAX_PAGES).default(1).meta({ description: 'Page number, starting at 1.' }),
    output: stillOutput,
    outputs: stillOutputs,
  }),
  // Nested patterns, groups, and shadings let a small file draw for hours. A normal page takes less than 1 s.
  deadlineMs: 60_000,
  price: microUsd(2_000),
  priceUnit: 'request',
  units: (parameters) => exactly(countOutputs(parameters)),
  data: z.strictObject({
    ...pixelSize,
    format: imageFormat,
    size,
    page: z.int().positive().meta({ description: 'Page number of the image.' }),
  }),
  sources: ({ outputs = [] }) => outputSources(outputs),
  example: {
    body: { page: 3, output: { format: 'png' } },
    data: { width: 1240, height: 1754, format: 'PNG', size: 122_563, page: 3 },
  },
})
