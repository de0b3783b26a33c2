import { z } from 'zod'
import { OUTPUT_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { operationsSchema } from '../operations/schema.ts'
import { defineEndpoint } from './endpoint.ts'
import { output, videoFacts } from './facts.ts'

export const videosProcess = defineEndpoint({
  name: 'videos/process',
  description: 'Runs the operations on every frame of a video, in order, and writes an MP4.',
  media: 'video',
  paidOnly: true,
  body: z.strictObject({
    operations: operationsSchema('video'),
    output: output(OUTPUT_FORMATS.video),
    max_duration: z.int().min(1).max(7200).optional().meta({ description: 'Keep only the first that many seconds.' }),
  }),
  price: microUsd(20_000),
  priceUnit: 'started minute',
  data: z.strictObject(videoFacts),
  example: {
    body: { operations: [{ type: 'resize', width: 1280, height: 720 }], max_duration: 60 },
    data: {
      duration: 60,
      codec: 'h264',
      width: 1280,
      height: 720,
      frame_rate: 30,
      bitrate: 2_412_000,
      audio_codec: 'aac',
      format: 'MP4',
      size: 18_090_112,
    },
  },
})
