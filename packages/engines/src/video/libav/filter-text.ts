/** Color at half size (`yuv420p`) or at full size (`yuv444p`). */
export type Pixels = 'yuv420p' | 'yuv444p'

/** An overlay drawn at `x`, `y`. `x` and `y` are even, and the overlay has the pixel format of the frame. */
type Overlay = { overlay: string; x: number; y: number; pixels: Pixels }

export type GraphFilter = { name: string; args: Record<string, number | string> }

export type Link = GraphFilter | Overlay

export function filterText(links: readonly Link[]): string {
  let text = '[in]'
  let isFirst = true
  links.forEach((link, index) => {
    if ('overlay' in link) {
      // An overlay has two inputs, so the chain before it needs a name.
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
  if (!/^[\w.+-]+$/.test(word)) throw new RangeError(`invalid word in a filter: ${word}`)
  return word
}
