import { z } from 'zod'
import { microUsd } from '../domain/money.ts'
import { defineEndpoint } from './endpoint.ts'
import { videoMetadata } from './metadata.ts'

export const videosRead = defineEndpoint({
  name: 'videos/read',
  title: 'Read a video',
  description: 'Returns the metadata of a video.',
  media: 'video',
  lane: 'video_look',
  paidOnly: true,
  body: z.strictObject({}),
  price: microUsd(1_000),
  priceUnit: 'request',
  // The index, which contains the metadata, is often within the first 256 KiB.
  firstBytes: 256 * 1024,
  data: z.strictObject({
    ...videoMetadata,
    rotation: z.int().meta({ description: 'Rotation in players, in degrees clockwise.' }),
    audio_channels: z.int().positive().nullable().meta({ description: 'Audio channels; null without audio.' }),
    audio_sample_rate: z
      .int()
      .positive()
      .nullable()
      .meta({ description: 'Audio samples per second; null without audio.' }),
  }),
  example: {
    body: {},
    data: {
      duration: 3,
      codec: 'h264',
      width: 640,
      height: 360,
      frame_rate: 25,
      bitrate: 62_629,
      audio_codec: null,
      format: 'MP4',
      size: 23_486,
      rotation: 0,
      audio_channels: null,
      audio_sample_rate: null,
    },
  },
})
