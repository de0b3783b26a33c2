import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RULE_ID } from './rules.ts'

/** The title of a test, and the rules that the brackets in the title cite. */
export type Title = {
  /** The path of the test file in the project. */
  file: string
  /** The title without its brackets. */
  text: string
  /** The content of the brackets: `requests.abort.3, results.links.5`. */
  cited: string
  /** The IDs of rules in the brackets. */
  rules: readonly string[]
}

/** Reads the titles of all tests in the packages and the lab. */
export function readTitles(root: string): Title[] {
  const files = globSync(['packages/*/{src,test}/**/*.test.ts', 'lab/**/*.test.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
  return files.toSorted().flatMap((file) => titlesOf(file, readFileSync(join(root, file), 'utf8')))
}

/** Reads the titles of all tests in one file. */
export function titlesOf(file: string, text: string): Title[] {
  return [...text.matchAll(/\btest\(\s*(['"`])(.*?)(?<!\\)\1/g)].map(([, , written = '']) => {
    const [, words = '', cited = ''] = /^(.*?)(?: \[([^\]\n]+)\])?(?: \(seed .*\))?$/.exec(written) ?? []
    const rules = cited.split(', ').filter((id) => RULE_ID.test(id))
    return { file, text: words.replaceAll(/\\(.)/g, '$1'), cited, rules }
  })
}
