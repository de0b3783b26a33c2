const FILES = import.meta.glob<string>('../../../assets/looks/*.webp', {
  eager: true,
  query: '?url',
  import: 'default',
})

const IMAGES = Object.fromEntries(Object.entries(FILES).map(([path, url]) => [path.replace(/^.*\/|\.webp$/g, ''), url]))

export const LOOKS = Object.keys(IMAGES)

export const isLook = (name: string) => name in IMAGES

/** `scripts/draw-console-looks.ts` creates these photos. */
export const lookImage = (name: string) => IMAGES[name]
