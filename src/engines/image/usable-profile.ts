import type { Metadata } from 'sharp'
import sharp from 'sharp'
import { allowProfiledPixels } from './loaders.ts'
import { rawTiff } from './raw-tiff.ts'

/**
 * Whether the picture's profile can be worked with, tried on one pixel.
 *
 * sharp leaves pixels as they are where a profile is broken or of other channels, and then takes those of 16 bits for
 * Display P3 all the same (sharp 0.35, `pipeline.cc`): such a profile has to be ignored from the start.
 */
export async function isUsableProfile({ icc, space }: Metadata): Promise<boolean> {
  if (icc === undefined) return false
  if (space !== 'rgb16' && space !== 'grey16') return true
  const { file, pixels } = rawTiff(
    { width: 1, height: 1 },
    { colors: space === 'grey16' ? 'grey' : 'rgb', alpha: 'none', bits: 8 },
    icc,
  )
  pixels.fill(128)
  allowProfiledPixels()
  let isUsable = true
  const image = sharp(file).on('warning', () => {
    isUsable = false
  })
  await image.raw().toBuffer()
  return isUsable
}
