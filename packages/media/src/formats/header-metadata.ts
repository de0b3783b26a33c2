export type Colorspace = 'sRGB' | 'CMYK' | 'Gray' | 'Lab'

/** Metadata from the header of an image. `orientation` is the EXIF value, or 0 if the header has none. */
export type HeaderMetadata = {
  frames: number
  orientation: number
  colorspace: Colorspace
  width: number
  height: number
}
