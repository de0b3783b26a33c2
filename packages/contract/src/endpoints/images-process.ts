import { z } from 'zod'
import { OUTPUT_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { operationsSchema } from '../operations/schema.ts'
import { defineEndpoint, exactly, operationSources } from './endpoint.ts'
import { imageFormat, output, pixelSize, size } from './metadata.ts'
import { countOutputs, imageOutputs, outputSources } from './outputs.ts'

export const imagesProcess = defineEndpoint({
  name: 'images/process',
  title: 'Process an image',
  description: 'Runs the operations on an image, in order, and writes it in the requested format.',
  media: 'image',
  lane: 'image',
  paidOnly: false,
  body: z.strictObject({
    operations: operationsSchema('image')
      .optional()
      .meta({ description: 'Operations, run in order from the first to the last. Required without `outputs`.' }),
    output: output('ImageOutput', OUTPUT_FORMATS.image),
    outputs: imageOutputs,
  }),
  price: microUsd(2_000),
  priceUnit: 'request',
  data: z.strictObject({ ...pixelSize, format: imageFormat, size }),
  units: (parameters) => exactly(countOutputs(parameters)),
  sources: ({ operations = [], outputs = [] }) => [...operationSources(operations), ...outputSources(outputs)],
  example: {
    body: {
      operations: [{ type: 'orient' }, { type: 'resize', width: 800, height: 600 }, { type: 'compress', quality: 82 }],
      output: { format: 'webp' },
    },
    data: { width: 800, height: 534, format: 'WEBP', size: 18_498 },
  },
})
