const FILES = import.meta.glob<string>('../../../assets/looks/*.webp', {
  eager: true,
  query: '?url',
  import: 'default',
})

const IMAGES = Object.fromEntries(Object.entries(FILES).map(([path, url]) => [path.replace(/^.*\/|\.webp$/g, ''), url]))

/** The names of all filters that have a sample image. */
export const LOOKS = Object.keys(IMAGES)

/** Returns whether a parameter value is a filter with a sample image. */
export const isLook = (name: string) => name in IMAGES

/** Returns the sample photo with a filter applied. `scripts/draw-console-looks.ts` draws these photos. */
export const lookImage = (name: string) => IMAGES[name]
