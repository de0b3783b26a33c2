import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint, exactly } from './endpoint.ts'
import { imageFormat, pixelSize, size, stillOutput } from './metadata.ts'
import { countOutputs, outputSources, stillOutputs } from './outputs.ts'

export const videosScreenshot = defineEndpoint({
  name: 'videos/screenshot',
  title: 'Take a screenshot of a video',
  description: 'Captures one frame of a video as an image.',
  media: 'video',
  lane: 'video_look',
  paidOnly: true,
  body: z.strictObject({
    seconds: z.int().min(0).max(86_400).meta({ description: 'Position in seconds from the start.' }),
    output: stillOutput,
    outputs: stillOutputs,
  }),
  price: microUsd(2_000),
  priceUnit: 'request',
  units: (parameters) => exactly(countOutputs(parameters)),
  // The index, which contains the positions of the frames, is often within the first 256 KiB.
  firstBytes: 256 * 1024,
  data: z.strictObject({
    ...pixelSize,
    format: imageFormat,
    size,
    seconds: z.int().nonnegative().meta({ description: 'The requested position.' }),
  }),
  sources: ({ outputs = [] }) => outputSources(outputs),
  example: {
    body: { seconds: 2, output: { format: 'png' } },
    data: { width: 640, height: 360, format: 'PNG', size: 145_736, seconds: 2 },
  },
})
