/** One wall: how it is taken out, and the tests that must then fail. */
export type Wall = {
  /** What it keeps out. */
  name: string
  /** The file that it stands in. */
  file: string
  /** The places in it that are the wall, each there once, and what is there without it: a program that still runs. */
  edits: readonly Edit[]
  /** Where it is the second of two walls: the other one, which is taken out with it, because either alone holds. */
  behind?: { file: string; edits: readonly Edit[] }
  tests: readonly string[]
}

export type Edit = readonly [find: string, replace: string]

type Way = Edit | readonly Edit[] | Pick<Wall, 'edits' | 'behind'>

/** The walls of one file, which the same tests hold. */
export function wallsOf(file: string, tests: readonly string[], ways: Record<string, Way>): Wall[] {
  return Object.entries(ways).map(([name, way]) => ({
    name,
    file,
    tests,
    ...('edits' in way ? way : { edits: isOne(way) ? [way] : way }),
  }))
}

const isOne = (edit: Edit | readonly Edit[]): edit is Edit => typeof edit[0] === 'string'

/** The files that change when the wall is taken out. */
export const filesOf = ({ file, behind }: Wall): string[] =>
  behind === undefined || behind.file === file ? [file] : [file, behind.file]

/** One of those files without the wall. Throws when one of its places is not there once. */
export function withoutWall(text: string, inFile: string, { name, file, edits, behind }: Wall): string {
  const all = [...(inFile === file ? edits : []), ...(inFile === behind?.file ? behind.edits : [])]
  return all.reduce((left, [find, replace]) => {
    if (left.split(find).length !== 2) throw new Error(`${inFile} does not hold this once, for "${name}": ${find}`)
    return left.replace(find, () => replace)
  }, text)
}
