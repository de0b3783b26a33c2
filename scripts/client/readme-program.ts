/**
 * Returns all code blocks of a README as one program, in order.
 *
 * Moves imports to the top. Each block has its own scope, except a block that declares a name that matches `shared`:
 * later blocks use this name.
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

/** Returns the first code block of a README, which is the first program that a reader runs. */
export function firstBlock(markdown: string): string {
  return /^```ts\n(.*?)^```$/ms.exec(markdown)?.[1] ?? ''
}
