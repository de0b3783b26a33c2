/** The colour spaces that facts tell apart (rulings 2). */
export type Colorspace = 'sRGB' | 'CMYK' | 'Gray' | 'Lab'

/** What a header says; `orientation` is the EXIF value, 0 where there is none. */
export type HeaderFacts = {
  frames: number
  orientation: number
  colorspace: Colorspace
  width: number
  height: number
}
