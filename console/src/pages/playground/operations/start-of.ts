import type { Operation } from '../operation.ts'

/** Values that make the effect of an operation visible. */
const STARTS: Record<string, Record<string, unknown>> = {
  watermark: { x: 24, y: 24 },
  border: { top: 24, bottom: 24, left: 24, right: 24, color: '1f7a5c' },
  resize: { width: 800, height: 600 },
  crop: { x: 0, y: 0, width: 400, height: 400 },
  thumbnail: { width: 300 },
  rotate: { degrees: 90 },
  flip: { horizontal: true },
  sepia: { threshold: 70 },
  exposure: { brightness: 20, contrast: 10 },
  filter: { name: 'valencia' },
  remove_background: { tolerance: 20 },
  compress: { quality: 70 },
}

export function startOf(type: string, logoUrl: string): Operation {
  return { type, ...(type === 'watermark' ? { image_url: logoUrl } : {}), ...STARTS[type] }
}
