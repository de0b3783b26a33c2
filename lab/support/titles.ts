import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RULE_ID } from './rules.ts'

type Title = {
  file: string
  text: string
  /** The content of the brackets at the end, such as `requests.abort.3, results.links.5`. */
  cited: string
  rules: readonly string[]
}

export function readTitles(root: string): Title[] {
  const files = globSync(['packages/*/{src,test}/**/*.test.ts', 'lab/**/*.test.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
  return files.toSorted().flatMap((file) => titlesOf(file, readFileSync(join(root, file), 'utf8')))
}

export function titlesOf(file: string, text: string): Title[] {
  return [...text.matchAll(/\btest\(\s*(['"`])(.*?)(?<!\\)\1/g)].map(([, , written = '']) => {
    const [, words = '', cited = ''] = /^(.*?)(?: \[([^\]\n]+)\])?(?: \(seed .*\))?$/.exec(written) ?? []
    const rules = cited.split(', ').filter((id) => RULE_ID.test(id))
    return { file, text: words.replaceAll(/\\(.)/g, '$1'), cited, rules }
  })
}
