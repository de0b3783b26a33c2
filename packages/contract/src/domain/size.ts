/**
 * Width and height: in pixels, or for documents in points of the displayed page (1 px is 1 pt, documents.process.1).
 */
export type Size = { width: number; height: number }

/** The size of an image between two operations. `orientation` is the EXIF value that is still to be applied. */
export type ImageFrame = Size & { orientation: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 }
