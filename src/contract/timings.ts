import { z } from 'zod'

const stage = (description: string, example: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [example] })

/** How long the stages of a request's last attempt took, in milliseconds (rulings 16). They are whole numbers. */
export const timings = z
  .strictObject({
    queued_ms: stage('From the acceptance to the beginning of that attempt.', 11),
    download_ms: stage('Until the source and the watermark images were there; 0 when it did not come to that.', 342),
    process_ms: stage('Until the result was made.', 989),
    store_ms: stage('Until the result was stored.', 18),
    total_ms: stage('From the acceptance to the end.', 1360),
  })
  .meta({
    id: 'Timings',
    description: 'How long each stage of the attempt that ended the request took, in milliseconds.',
  })
