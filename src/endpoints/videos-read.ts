import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { videoFacts } from './facts.ts'

export const videosRead = defineEndpoint({
  name: 'videos/read',
  description: 'Tells the facts of a video without changing it.',
  media: 'video',
  paidOnly: true,
  body: z.strictObject({}),
  price: microUsd(1_000),
  priceUnit: 'request',
  // An index often lies in the first quarter of a mebibyte.
  firstBytes: 256 * 1024,
  data: z.strictObject({
    ...videoFacts,
    rotation: z.int().meta({ description: 'Degrees clockwise that players turn the stored picture by.' }),
    audio_channels: z.int().positive().nullable(),
    audio_sample_rate: z.int().positive().nullable().meta({ description: 'Hertz.' }),
  }),
})
