/** Width and height in pixels. On documents in points of the page as displayed (1 px is 1 pt, rulings 15). */
export type Size = { width: number; height: number }

/** A picture between two operations. `orientation` is the EXIF value still to be applied. */
export type ImageFrame = Size & { orientation: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 }
