import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The ID of a rule: `requests.abort.3`. */
export const RULE_ID = /^[a-z]+\.[a-z_]+\.\d+$/

/** A rule of the API reference: a list item in docs/reference that ends with its ID. */
type Rule = { file: string; id: string; text: string }

/** Returns the list items of the API reference. A list item without an ID gets the ID ''. */
export function readRules(root: string): Rule[] {
  return globSync('docs/reference/*.md', { cwd: root })
    .toSorted()
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/^- (.+?)(?: `([a-z]+\.[a-z_]+\.\d+)`)?$/gm)].map(
        ([, text = '', id = '']) => ({ file, id, text }),
      ),
    )
}
