const FILES = import.meta.glob<string>('../../../assets/looks/*.webp', {
  eager: true,
  query: '?url',
  import: 'default',
})

const PICTURES = Object.fromEntries(
  Object.entries(FILES).map(([path, url]) => [path.replace(/^.*\/|\.webp$/g, ''), url]),
)

/** Every look that there is a picture of. */
export const LOOKS = Object.keys(PICTURES)

/** Tells whether a value of a parameter is a look that there is a picture of. */
export const isLook = (name: string) => name in PICTURES

/** The sample photo under a look; drawn by `scripts/draw-console-looks.ts`. */
export const lookPicture = (name: string) => PICTURES[name]
