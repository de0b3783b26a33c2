import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A test's title with the sections that its brackets cite. */
export type Title = {
  /** The path of its file within the project. */
  file: string
  /** The title without its brackets. */
  text: string
  /** What stands in the brackets, as it is written: `4.5, rulings 9`. */
  cited: string
  /** Sections of docs/interface.md. */
  spec: readonly string[]
  /** Sections of docs/rulings.md. */
  rulings: readonly string[]
}

/** Reads the title of every test of the packages and the lab. */
export function readTitles(root: string): Title[] {
  const files = globSync(['packages/*/{src,test}/**/*.test.ts', 'lab/**/*.test.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
  return files.toSorted().flatMap((file) => titlesOf(file, readFileSync(join(root, file), 'utf8')))
}

/** Reads the titles of one file of tests. */
export function titlesOf(file: string, text: string): Title[] {
  return [...text.matchAll(/\btest\(\s*(['"`])(.*?)(?<!\\)\1/g)].map(([, , written = '']) => {
    const [, words = '', cited = ''] = /^(.*?)(?: \[([^\]\n]+)\])?(?: \(seed .*\))?$/.exec(written) ?? []
    const [spec = '', rulings = ''] = /^[\d.]|^rulings /.test(cited) ? cited.split(/(?:^|, )rulings /) : []
    return { file, text: words.replaceAll(/\\(.)/g, '$1'), cited, spec: numbers(spec), rulings: numbers(rulings) }
  })
}

const numbers = (list: string) => list.split(', ').filter((number) => number !== '')
