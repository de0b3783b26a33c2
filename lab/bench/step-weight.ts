import type { ImageStep } from '@mediamill/media/steps/image-steps'
import { isPixelStep, prepareStep } from '@mediamill/media/steps/image-steps'

/**
 * Measures the cost of an image step that changes pixels: `node lab/bench/step-weight.ts '{"step": "tones", …}'`.
 * Prints the CPU seconds per 100 megapixels, with and without alpha.
 */
const WIDTH = 5000
const HEIGHT = 4000

/** The CPU seconds per 100 megapixels of a step with weight 1 (`packages/media/src/plan/image-budget.ts`). */
const SECONDS_PER_WEIGHT = 1.6

const step = JSON.parse(process.argv[2] ?? '{}') as Exclude<ImageStep, { step: 'orient' | 'encode' }>
if (!isPixelStep(step)) throw new TypeError('the step must change pixels')

for (const channels of [3, 4] as const) {
  const size = { width: WIDTH, height: HEIGHT }
  const draw = await prepareStep(step, {
    frame: size,
    watermark: () => Promise.reject(new Error('watermarks are not supported here')),
  })
  const data = Buffer.alloc(WIDTH * HEIGHT * channels)
  for (let at = 0; at < data.length; at += 1) data[at] = (at * 31) % 251
  const before = process.cpuUsage()
  draw({ ...size, channels, data })
  const { user, system } = process.cpuUsage(before)
  const seconds = ((user + system) / 1e6) * (100e6 / (WIDTH * HEIGHT))
  process.stdout.write(
    `${channels} channels: ${seconds.toFixed(1)} s, weight ${Math.ceil(seconds / SECONDS_PER_WEIGHT)}\n`,
  )
}
