import type { PixelLimits } from '@mediamill/media/plan/image-budget'
import type { EngineFile } from '../../protocol/messages.ts'
import { decodeHeic } from './decode-heic.ts'
import type { OpenedSource } from './opened-source.ts'
import { openRaw, profiledImage, rawImage } from './raw-source.ts'

export const openHeic = (file: EngineFile, { maxFramePixels }: PixelLimits): Promise<OpenedSource> =>
  openRaw(file, 'HEIC', (bytes) => {
    const { image, profile, tiff } = decodeHeic(bytes, maxFramePixels)
    return profile === undefined ? rawImage(image) : profiledImage('HEIC', image, { profile, tiff })
  })
