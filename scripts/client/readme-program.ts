/** Joins all code blocks. Each block has its own scope, except blocks that declare a name that matches `shared`. */
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

/** Returns the first code block of a page: the first program that a reader runs. */
export function firstBlock(markdown: string): string {
  return /^```ts\n(.*?)^```$/ms.exec(markdown)?.[1] ?? ''
}
