/** A width and a height in pixels, or in points for a displayed PDF page (1 px is 1 pt, documents.process.1). */
export type Size = { width: number; height: number }

/** The size of an image between two operations. `orientation` is the EXIF orientation that is not yet applied. */
export type ImageFrame = Size & { orientation: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 }
