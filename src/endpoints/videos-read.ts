import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { videoFacts } from './facts.ts'

export const videosRead = defineEndpoint({
  name: 'videos/read',
  description: 'Tells the facts of a video without changing it.',
  media: 'video',
  lane: 'video_look',
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
  example: {
    body: {},
    data: {
      duration: 93.4,
      codec: 'h264',
      width: 1920,
      height: 1080,
      frame_rate: 29.97,
      bitrate: 5_120_330,
      audio_codec: 'aac',
      format: 'MOV',
      size: 59_779_852,
      rotation: 0,
      audio_channels: 2,
      audio_sample_rate: 48_000,
    },
  },
})
