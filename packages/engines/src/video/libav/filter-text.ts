/** How a frame keeps its pixels: with colour at half size, or for every one. */
export type Pixels = 'yuv420p' | 'yuv444p'

/** A drawing as a picture for frames of such pixels. It is laid over every frame, at even places. */
export type Overlay = { overlay: string; x: number; y: number; pixels: Pixels }

/** Any filter of libav, as the engine itself may ask for it. Operations name those of `video-filters.ts`. */
export type GraphFilter = { name: string; args: Record<string, number | string> }

/** One link of a chain of filters. */
export type Link = GraphFilter | Overlay

/**
 * Writes a chain as libav reads it, from `[in]` to `[out]`. Each overlay takes the input of its name.
 *
 * Names and arguments come from our own code alone, and words that mean something to libav's parser are refused.
 */
export function filterText(links: readonly Link[]): string {
  let text = '[in]'
  let isFirst = true
  links.forEach((link, index) => {
    if ('overlay' in link) {
      // An overlay has two inputs, so what comes before it ends in a name.
      const under = isFirst ? '' : `[at${index}];[at${index}]`
      const format = link.pixels === 'yuv444p' ? 'yuv444' : 'yuv420'
      text += `${under}[${plain(link.overlay)}]overlay=x=${link.x}:y=${link.y}:format=${format}`
    } else {
      const args = Object.entries(link.args).map(([name, value]) => `${plain(name)}=${plain(String(value))}`)
      text += `${isFirst ? '' : ','}${plain(link.name)}${args.length === 0 ? '' : `=${args.join(':')}`}`
    }
    isFirst = false
  })
  return `${text}${isFirst ? 'null' : ''}[out]`
}

function plain(word: string): string {
  if (!/^[\w.+-]+$/.test(word)) throw new RangeError(`not a plain word for a filter: ${word}`)
  return word
}
