/** One wall: how it is taken out, and the tests that must then fail. */
export type Wall = {
  /** What it keeps out. */
  name: string
  /** The file that it stands in. */
  file: string
  /** The places in it that are the wall, each there once, and what is there without it: a program that still runs. */
  edits: readonly Edit[]
  tests: readonly string[]
}

export type Edit = readonly [find: string, replace: string]

/** The walls of one file, which the same tests hold. */
export function wallsOf(file: string, tests: readonly string[], edits: Record<string, Edit | readonly Edit[]>): Wall[] {
  return Object.entries(edits).map(([name, edit]) => ({ name, file, edits: isOne(edit) ? [edit] : edit, tests }))
}

const isOne = (edit: Edit | readonly Edit[]): edit is Edit => typeof edit[0] === 'string'

/** The file without the wall. Throws when one of its places is not there once. */
export function withoutWall(text: string, { name, file, edits }: Wall): string {
  return edits.reduce((left, [find, replace]) => {
    if (left.split(find).length !== 2) throw new Error(`${file} does not hold this once, for "${name}": ${find}`)
    return left.replace(find, () => replace)
  }, text)
}
