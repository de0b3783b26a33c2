import { z } from 'zod'
import { OUTPUT_FORMATS } from '../domain/media.ts'
import { microUsd } from '../domain/money.ts'
import { operationsSchema } from '../operations/schema.ts'
import { defineEndpoint, operationSources } from './endpoint.ts'
import { output, videoMetadata } from './metadata.ts'

export const videosProcess = defineEndpoint({
  name: 'videos/process',
  title: 'Process a video',
  description: 'Runs the operations on every frame of a video, in order, and writes an MP4.',
  media: 'video',
  lane: 'video',
  paidOnly: true,
  body: z.strictObject({
    operations: operationsSchema('video'),
    output: output('VideoOutput', OUTPUT_FORMATS.video),
    max_duration: z
      .int()
      .min(1)
      .max(7200)
      .optional()
      .meta({ description: 'Keeps only this many seconds from the start.' }),
  }),
  price: microUsd(20_000),
  priceUnit: 'started minute',
  units: ({ max_duration: seconds }) => ({
    minimum: 1,
    maximum: typeof seconds === 'number' ? Math.ceil(seconds / 60) : null,
  }),
  data: z.strictObject(videoMetadata),
  sources: ({ operations }) => operationSources(operations),
  example: {
    body: { operations: [{ type: 'resize', width: 320, height: 180 }], max_duration: 2 },
    data: {
      duration: 2,
      codec: 'h264',
      width: 320,
      height: 180,
      frame_rate: 25,
      bitrate: 37_804,
      audio_codec: null,
      format: 'MP4',
      size: 9_451,
    },
  },
})
