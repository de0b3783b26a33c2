import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** The service URL that handwritten pages contain. The service replaces it with its own URL. */
export const WRITTEN_ADDRESS = 'http://127.0.0.1:8080'

/** A call of a recipe: its path below /v1, and its body. `gives` is the name of the result for later steps. */
export type Step = { path: string; text: string; gives: string | undefined }

/** A page of docs/recipes. `written` is the handwritten part of the page, before `## Result`. */
export type Recipe = { name: string; title: string; written: string; steps: Step[]; last: Step }

const FOLDER = join(import.meta.dirname, '../../docs/recipes')
export const recipeFile = (name: string): string => join(FOLDER, name)

const GUIDES = ['README.md', 'upload-form.md']

export function readRecipes(): Recipe[] {
  const files = globSync('*.md', { cwd: FOLDER }).filter((file) => !GUIDES.includes(file))
  return files.toSorted().map((file) => parseRecipe(basename(file, '.md'), readFileSync(recipeFile(file), 'utf8')))
}

function parseRecipe(name: string, page: string): Recipe {
  const [written = ''] = page.split('\n## Result\n')
  const steps = [...written.matchAll(/`POST \/v1\/([a-z/]+)`([^\n]*)\n```json\n([^]*?)```/g)].map(
    ([, path = '', words = '', text = '']): Step => ({ path, text, gives: /`\$([A-Z_]+)`/.exec(words)?.[1] }),
  )
  const title = /^# (.+)$/m.exec(page)?.[1]
  const last = steps.at(-1)
  if (title === undefined || last === undefined) throw new RangeError(`${name} has no title or no request`)
  return { name, title, written: `${written.trimEnd()}\n`, steps, last }
}

/** Returns the body of a step, with `baseUrl` and the results of earlier steps inserted. */
export function bodyOf({ text }: Step, baseUrl: string, given: ReadonlyMap<string, string>): Body {
  const known = text.replaceAll(WRITTEN_ADDRESS, baseUrl)
  return JSON.parse(known, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith('$') ? (given.get(value.slice(1)) ?? value) : value,
  )
}

export type Body = {
  source?: string
  operations?: Operation[]
  output?: { format: string }
  outputs?: Output[]
} & Record<string, unknown>

export type Output = { name?: string; format?: string; operations?: Operation[] } & Record<string, unknown>

export type Operation = { type: string } & Record<string, unknown>

/** Returns the outputs of a recipe that makes several files. Returns an empty list for a single file. */
export function severalOf({ last: { text } }: Recipe): Output[] {
  const { outputs = [] } = JSON.parse(text) as Body
  return outputs.length > 1 ? outputs : []
}

export function endingOf({ last: { path, text } }: Recipe): string {
  const { output, outputs } = JSON.parse(text) as Body
  if (output !== undefined) return output.format
  if (outputs !== undefined) return outputs[0]?.format ?? 'jpg'
  return path === 'videos/process' ? 'mp4' : path === 'documents/process' ? 'pdf' : 'jpg'
}
