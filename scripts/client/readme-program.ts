/**
 * Makes one program of the blocks of a README, in their order: what is shown is what runs.
 *
 * Imports go to the top. A block has a scope of its own, but for those that later ones build upon: they declare `shared`.
 */
export function readmeProgram(markdown: string, shared: RegExp): string {
  const blocks = [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => match[1] ?? '')
  const imports = blocks.flatMap((block) => [...block.matchAll(IMPORT)].map(([line]) => line.trim()))
  const bodies = blocks.map((block) => {
    const body = block.replaceAll(IMPORT, '').trim()
    return shared.test(body) ? body : `{\n${body}\n}`
  })
  return [...imports, ...bodies, ''].join('\n')
}

const IMPORT = /^import .*\n/gm

/** Returns the first block alone: what a reader starts with. */
export function firstBlock(markdown: string): string {
  return /^```ts\n(.*?)^```$/ms.exec(markdown)?.[1] ?? ''
}
