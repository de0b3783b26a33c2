/**
 * Returns one program with all code blocks of a README, in order.
 *
 * Imports move to the top. A block has its own scope, unless it declares a name that matches `shared`, which later blocks use.
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

/** Returns only the first code block, which is the first program that a reader tries. */
export function firstBlock(markdown: string): string {
  return /^```ts\n(.*?)^```$/ms.exec(markdown)?.[1] ?? ''
}
