const FILES = import.meta.glob<string>('../../../assets/looks/*.webp', {
  eager: true,
  query: '?url',
  import: 'default',
})

const IMAGES = Object.fromEntries(Object.entries(FILES).map(([path, url]) => [path.replace(/^.*\/|\.webp$/g, ''), url]))

export const LOOKS = Object.keys(IMAGES)

export const isLook = (name: string) => name in IMAGES

/** Returns the photo that shows a filter. `scripts/draw-console-looks.ts` creates the photos. */
export const lookImage = (name: string) => IMAGES[name]
