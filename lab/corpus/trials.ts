import type { MediaType } from '@mediamill/contract/domain/media'

/** A request that runs on each file of the corpus. `body` has no `source` yet. */
export type Trial = { name: string; path: string; body: Record<string, unknown> }

/** The metadata of an image on which its trials depend. */
export type Image = { width: number; height: number; animated: boolean }

export const READ: Record<MediaType, Trial> = {
  image: { name: 'read', path: '/v1/images/read', body: {} },
  video: { name: 'read', path: '/v1/videos/read', body: {} },
  document: { name: 'read', path: '/v1/documents/read', body: {} },
}

const image = (name: string, format: string, ...operations: Record<string, unknown>[]): Trial => ({
  name,
  path: '/v1/images/process',
  body: { operations, output: { format } },
})

/** The trial that converts the original to PNG, so that browsers can display it in the report. */
export const SHOWN: Trial = image('as it is', 'png', { type: 'orient' })

/** Returns trials whose results a person can check: order, colors, edges, orientation, transparency, and frames. */
export function imageTrials({ width, height, animated }: Image, watermarkUrl: string): Trial[] {
  const middle = {
    type: 'crop',
    x: Math.floor(width / 4),
    y: Math.floor(height / 4),
    width: Math.max(1, Math.ceil(width / 2)),
    height: Math.max(1, Math.ceil(height / 2)),
  }
  const orient = { type: 'orient' }
  const small = { type: 'resize', width: 480, height: 480 }
  const watermark = { type: 'watermark', image_url: watermarkUrl, x: 16, y: 16 }
  const border = { type: 'border', top: 12, bottom: 12, left: 12, right: 12, color: '#d5202f' }
  return [
    image('orient, resize, watermark → jpg', 'jpg', orient, small, watermark),
    image('rotate 15, border → png', 'png', orient, small, { type: 'rotate', degrees: 15 }, border),
    image('filter xpro2 → webp', 'webp', orient, small, { type: 'filter', name: 'xpro2' }),
    image('crop the middle, thumbnail → jpg', 'jpg', middle, { type: 'thumbnail', width: 200, quality: 80 }),
    image('remove background → png', 'png', orient, small, { type: 'remove_background', tolerance: 12, blur: 2 }),
    image('tiles and lines → gif', 'gif', orient, small, {
      ...watermark,
      tile_spacing_x: 160,
      tile_spacing_y: 90,
      diagonal_lines_color: '#ffffff',
      diagonal_lines_opacity: 60,
    }),
    image(
      'sepia, flip, turn → tif',
      'tif',
      orient,
      small,
      { type: 'sepia', threshold: 80 },
      {
        type: 'rotate',
        degrees: -90,
        flip_horizontal: true,
      },
    ),
    ...(animated
      ? [
          image('animated: resize, watermark → gif', 'gif', small, watermark),
          image(
            'animated: rotate 30, grayscale → webp',
            'webp',
            small,
            { type: 'rotate', degrees: 30 },
            {
              type: 'grayscale',
            },
          ),
        ]
      : []),
  ]
}

export function videoTrials(watermarkUrl: string): Trial[] {
  const watermark = { type: 'watermark', image_url: watermarkUrl, x: 16, y: 16 }
  return [
    { name: 'screenshot at 0 s', path: '/v1/videos/screenshot', body: { seconds: 0 } },
    { name: 'screenshot at 2 s → png', path: '/v1/videos/screenshot', body: { seconds: 2, output: { format: 'png' } } },
    {
      name: 'resize, watermark, 5 s → mp4',
      path: '/v1/videos/process',
      body: { max_duration: 5, operations: [{ type: 'resize', width: 480, height: 480 }, watermark] },
    },
    {
      name: 'rotate 90, grayscale, 5 s → mp4',
      path: '/v1/videos/process',
      body: { max_duration: 5, operations: [{ type: 'rotate', degrees: 90 }, { type: 'grayscale' }] },
    },
  ]
}

export function documentTrials(watermarkUrl: string): Trial[] {
  const operations = [{ type: 'watermark', image_url: watermarkUrl, x: 36, y: 36 }]
  return [
    { name: 'snapshot of page 1 → png', path: '/v1/documents/snapshot', body: { output: { format: 'png' } } },
    { name: 'watermark, 3 pages → pdf', path: '/v1/documents/process', body: { max_pages: 3, operations } },
  ]
}
