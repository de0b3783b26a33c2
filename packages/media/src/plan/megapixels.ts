/** Formats a number of pixels. Rounds up, so that a number above the limit is never shown as the limit. */
export const megapixels = (pixels: number) => `${Math.ceil(pixels / 10_000) / 100} megapixels`
