const FILES = import.meta.glob<string>('../../../assets/looks/*.webp', {
  eager: true,
  query: '?url',
  import: 'default',
})

const PICTURES = Object.fromEntries(
  Object.entries(FILES).map(([path, url]) => [path.replace(/^.*\/|\.webp$/g, ''), url]),
)

/** All looks that have a sample image. */
export const LOOKS = Object.keys(PICTURES)

/** Returns whether a parameter value is a look with a sample image. */
export const isLook = (name: string) => name in PICTURES

/** The sample photo under a look; drawn by `scripts/draw-console-looks.ts`. */
export const lookPicture = (name: string) => PICTURES[name]
