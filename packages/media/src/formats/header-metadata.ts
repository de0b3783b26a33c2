export type Colorspace = 'sRGB' | 'CMYK' | 'Gray' | 'Lab'

/** Metadata from an image header. `orientation` is the EXIF value, or 0 if the header has no orientation. */
export type HeaderMetadata = {
  frames: number
  orientation: number
  colorspace: Colorspace
  width: number
  height: number
}
