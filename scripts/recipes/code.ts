import { presentCatalog } from '@mediamill/contract/objects/present-catalog'
import type { Body, Operation, Output, Recipe, Step } from './recipe.ts'
import { endingOf, severalOf } from './recipe.ts'

const LONGEST_LINE = 110

export function madeFile(recipe: Recipe): string {
  const [first] = severalOf(recipe)
  return `${recipe.name}${first === undefined ? '' : `-${first.name}`}.${endingOf(recipe)}`
}

/** Returns the recipe as shell code with curl. The code reads responses with `jq`, as on the start page. */
export function curlCode(recipe: Recipe): string {
  const calls = recipe.steps.map((step) => {
    const body = step.text.trimEnd().replaceAll("'", String.raw`'\''`)
    const wait = step.path === 'stamps' ? '' : " -H 'Prefer: wait=30'"
    const name = step.gives ?? 'LINK'
    const isSeveral = step === recipe.last && severalOf(recipe).length > 0
    const field = step.path === 'stamps' ? '.source' : "'.result.files[0].url'"
    if (isSeveral) {
      return `curl -s "$MEDIAMILL_URL/v1/${step.path}" \\
  -H "Authorization: Bearer $MEDIAMILL_API_KEY" -H 'Content-Type: application/json'${wait} \\
  -d '${body}' |
  jq -r '.result.files[] | "\\(.name).\\(.format) \\(.url)"' |
  while read -r FILE LINK; do curl -sLo "${recipe.name}-$FILE" "$LINK"; done`
    }
    return `${name}=$(curl -s "$MEDIAMILL_URL/v1/${step.path}" \\
  -H "Authorization: Bearer $MEDIAMILL_API_KEY" -H 'Content-Type: application/json'${wait} \\
  -d '${body.replaceAll(/"\$([A-Z_]+)"/g, `"'"$$$1"'"`)}' | jq -r ${field})`
  })
  return [...calls, ...(severalOf(recipe).length > 0 ? [] : [`curl -sLo ${madeFile(recipe)} "$LINK"`])].join('\n')
}

export function typescriptCode(recipe: Recipe): string {
  const calls = recipe.steps.map((step) => {
    const body = step.text
      .trimEnd()
      .replaceAll(/"([a-z_]+)":/g, '$1:')
      .replaceAll(/"\$([A-Z_]+)"/g, (_, name: string) => valueOf(recipe, name, '.result.files[0].url'))
      .replaceAll(/"([^"']*)"/g, "'$1'")
      .replaceAll(/\{(?=\S)/g, '{ ')
      .replaceAll(/(?<=\S)\}/g, ' }')
    const name = (step.gives ?? 'request').toLowerCase()
    if (step.path === 'stamps') return `const ${name} = await mediamill.stamps.create(${body})`
    return `const ${name} = await mediamill.${step.path.replace('/', '.')}(${body}).wait()`
  })
  return [
    "import { Mediamill } from '@mediamill/sdk'",
    '',
    'const mediamill = new Mediamill()',
    ...calls,
    severalOf(recipe).length > 0
      ? `for (const file of request.result.files) await file.save(\`${recipe.name}-\${file.name}.\${file.format}\`)`
      : `await request.result.files[0].save('${madeFile(recipe)}')`,
  ].join('\n')
}

export function pythonCode(recipe: Recipe): string {
  const calls = recipe.steps.map((step) => {
    const body = step.text
      .trimEnd()
      .replaceAll(/: (true|false)\b/g, (_, word: string) => `: ${word === 'true' ? 'True' : 'False'}`)
      .replaceAll(/"\$([A-Z_]+)"/g, (_, name: string) =>
        valueOf(recipe, name, '["result"]["files"][0]["url"]', '["source"]'),
      )
    return `${(step.gives ?? 'request').toLowerCase()} = call("${step.path}", ${body})`
  })
  return `import json, os
from urllib.request import Request, urlopen

def call(path, body):
    headers = {
        "Authorization": f"Bearer {os.environ['MEDIAMILL_API_KEY']}",
        "Content-Type": "application/json",
        "Prefer": "wait=30",
    }
    url = f"{os.environ['MEDIAMILL_URL']}/v1/{path}"
    with urlopen(Request(url, json.dumps(body).encode(), headers)) as response:
        return json.load(response)

${calls.join('\n')}

${pythonSave(recipe)}`
}

function pythonSave(recipe: Recipe): string {
  if (severalOf(recipe).length > 0) {
    return `for file in request["result"]["files"]:
    with urlopen(file["url"]) as link, open(f"${recipe.name}-{file['name']}.{file['format']}", "wb") as saved:
        saved.write(link.read())`
  }
  return `with urlopen(request["result"]["files"][0]["url"]) as link, open("${madeFile(recipe)}", "wb") as file:
    file.write(link.read())`
}

export function shellCode(recipe: Recipe): string {
  return recipe.steps.map((step) => (step.path === 'stamps' ? stampCommand(step) : command(recipe, step))).join('\n')
}

function command(recipe: Recipe, step: Step): string {
  const {
    source = '',
    operations = [],
    output: _output,
    outputs = [],
    seconds,
    page,
    max_duration,
    max_pages,
  } = parsed(step)
  const target = outputs.length > 1 ? recipe.name : madeFile(recipe)
  const numbers = { at: seconds, page, 'max-duration': max_duration, 'max-pages': max_pages }
  const fileOf = (value: unknown) =>
    String(value).replace(/^\$([A-Z_]+)$/, (_, name: string) => positionOf(recipe, name))
  const words = [
    `mediamill ${step.path.split('/')[1]} ${quoted(fileOf(source))}`,
    ...operations.map((operation) => operationFlag(operation, fileOf)),
    ...outputs.map((output) => outputFlag(output, fileOf)),
    ...Object.entries(numbers).flatMap(([name, value]) => (typeof value === 'number' ? [`--${name} ${value}`] : [])),
    `-o ${step.gives === undefined ? target : positionOf(recipe, step.gives)}`,
  ]
  const line = words.join(' ')
  return line.length <= LONGEST_LINE ? line : words.join(' \\\n  ')
}

/** Returns the shell text for the result of an earlier step: a variable for a text watermark, otherwise a file name. */
function positionOf(recipe: Recipe, name: string): string {
  const step = stepThatGives(recipe, name)
  return step.path === 'stamps' ? `$${name}` : `${name.toLowerCase()}.${parsed(step).output?.format ?? 'jpg'}`
}

const CATALOG = presentCatalog().data.image.operations

/** Returns an operation's flag, such as `--resize 800x600,crop_center`. Required values come first, without names. */
function operationFlag(operation: Operation, fileOf: (value: unknown) => string): string {
  return `--${operation.type.replaceAll('_', '-')} ${quoted(operationWords(operation, fileOf))}`.trimEnd()
}

/** Returns the flag of an output, such as `--output name=small,format=webp,resize=400x400`. */
function outputFlag({ operations = [], ...fields }: Output, fileOf: (value: unknown) => string): string {
  const words = [
    ...Object.entries(fields).map(([name, value]) => (value === true ? name : `${name}=${String(value)}`)),
    ...operations.map((operation) => {
      const value = operationWords(operation, fileOf).replaceAll(',', String.raw`\,`)
      return value === '' ? operation.type : `${operation.type}=${value}`
    }),
  ]
  return `--output ${quoted(words.join(','))}`
}

function operationWords({ type, ...values }: Operation, fileOf: (value: unknown) => string): string {
  const params: Record<string, { required: boolean }> = CATALOG[type]?.params ?? {}
  const required = Object.keys(params).filter((name) => params[name]?.required === true)
  const words: string[] = []
  const rest = new Map(Object.entries(values))
  const take = (name: string) => {
    const value = String(rest.get(name))
    rest.delete(name)
    return value
  }
  if (required.includes('height')) {
    words.push(`${take('width')}x${take('height')}${required.includes('x') ? `+${take('x')}+${take('y')}` : ''}`)
  } else if (required.length === 1 || type === 'watermark') words.push(fileOf(take(required[0] ?? '')))
  for (const [name, value] of rest) words.push(value === true ? name : `${name}=${String(value)}`)
  return words.join(',')
}

function stampCommand(step: Step): string {
  const { type: _type, text, ...fields } = parsed(step)
  const parts = (value: unknown): string =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([name, part]) => `${name}=${String(part)}`)
          .join(',')
      : String(value)
  const flags = Object.entries(fields).map(([name, value]) => `--${name} ${quoted(parts(value))}`)
  return `${step.gives}=$(mediamill stamp ${[quoted(String(text)), ...flags].join(' ')})`
}

const parsed = ({ text }: Step): Body => JSON.parse(text)

function stepThatGives(recipe: Recipe, name: string): Step {
  const step = recipe.steps.find(({ gives }) => gives === name)
  if (step === undefined) throw new RangeError(`${recipe.name} has no step that sets ${name}`)
  return step
}

/** Returns the variable of an earlier result, followed by `stampOf` for a text watermark or by `linkOf` for a file. */
function valueOf(recipe: Recipe, name: string, linkOf: string, stampOf = ''): string {
  return `${name.toLowerCase()}${stepThatGives(recipe, name).path === 'stamps' ? stampOf : linkOf}`
}

function quoted(text: string): string {
  if (/^[\w@%+=:,./-]*$/.test(text)) return text
  return /^\$[A-Z]/.test(text) ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
