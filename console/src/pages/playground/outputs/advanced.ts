import { OUTPUT } from '@mediamill/contract/domain/media'
import type { Medium } from '../endpoints.ts'

export const ADVANCED = ['quality', 'max_bytes', 'max_bytes_resize', 'metadata', 'destination'] as const
export type Advanced = (typeof ADVANCED)[number]

const FORMATS: Readonly<Record<string, { isLossy: boolean } | undefined>> = OUTPUT.image

/** Returns the fields of an output that change a file of this format (outputs.quality.1, outputs.metadata.3). */
export function advancedFields(medium: Medium, format: string): readonly Advanced[] {
  const isUsed: Partial<Record<Advanced, boolean>> = {
    quality: FORMATS[format]?.isLossy === true,
    // Frames of videos and pages of documents have no metadata to keep.
    metadata: medium === 'image' && format !== 'gif',
  }
  return ADVANCED.filter((field) => isUsed[field] ?? true)
}
