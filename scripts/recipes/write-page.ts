import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { curlCode, pythonCode, shellCode, typescriptCode } from './code.ts'
import type { Body, Recipe } from './recipe.ts'
import { WRITTEN_ADDRESS } from './recipe.ts'
import type { MadeFile, Pixels, RecipeMetadata } from './run-recipe.ts'

/** The stored outcome of a recipe: metadata for its page, and pixel colors for a test. */
export type Kept = { before: RecipeMetadata; after: RecipeMetadata; price: number; pixels: Pixels; files?: MadeFile[] }

export function writePage(recipe: Recipe, kept: Kept): string {
  return `${recipe.written}
## Result
${factTable(kept)}
${fileTable(kept)}${playgroundLine(recipe)}
## curl
\`\`\`sh
${curlCode(recipe)}
\`\`\`

## TypeScript
\`\`\`ts
${typescriptCode(recipe)}
\`\`\`

## Python
\`\`\`python
${pythonCode(recipe)}
\`\`\`

## Command line
\`\`\`sh
${shellCode(recipe)}
\`\`\`

\`MEDIAMILL_URL\` and \`MEDIAMILL_API_KEY\` are set as in [all recipes](README.md).
`
}

function factTable({ before, after, price }: Kept): string {
  const rows: [name: string, before: unknown, after: unknown][] = [
    ['Format', before.format, after.format],
    ['Size', sizeOf(before), sizeOf(after)],
    ['Seconds', before['duration'], after['duration']],
    ['Pages', before['page_count'], after['page_count']],
    ['File', formatBytes(before.size ?? 0), formatBytes(after.size ?? 0)],
    ['Price', undefined, `$${price}`],
  ]
  const shown = rows.filter(([, one, other]) => (one ?? other) !== undefined)
  const lines = shown.map(([name, one, other]) => `| ${name} | ${text(one)} | ${text(other)} |`)
  return ['| | Before | After |', '| --- | --- | --- |', ...lines].join('\n')
}

function fileTable({ files = [] }: Kept): string {
  if (files.length < 2) return ''
  const rows = files.map((file) => `| \`${file.name}.${file.format}\` | ${sizeOf(file)} | ${formatBytes(file.size)} |`)
  return ['', '| File | Size | Bytes |', '| --- | --- | --- |', ...rows, ''].join('\n')
}

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const sizeOf = ({ width, height }: { width?: number | undefined; height?: number | undefined }) =>
  width === undefined ? undefined : `${width} × ${height}`

const HAS_CONSOLE = existsSync(join(import.meta.dirname, '../../console/index.html'))

/** Returns a link to the playground with the whole recipe, because the playground also runs the earlier steps. */
function playgroundLine({ steps, last }: Recipe): string {
  if (!HAS_CONSOLE) return ''
  const earlier = steps
    .filter((step) => step !== last)
    .map(({ gives: variable, path, text }) => ({ variable, path, body: JSON.parse(text) as Body }))
  const { source = '', operations, output, outputs, ...numbers } = JSON.parse(last.text) as Body
  const state = {
    ...(earlier.length === 0 ? {} : { earlier: JSON.stringify(earlier) }),
    endpoint: last.path,
    source,
    ...(operations === undefined && outputs === undefined ? {} : { operations: JSON.stringify(operations ?? []) }),
    ...(outputs === undefined ? {} : { outputs: JSON.stringify(outputs) }),
    ...(output === undefined ? {} : { format: output.format }),
    ...(Object.keys(numbers).length === 0 ? {} : { numbers: JSON.stringify(numbers) }),
  }
  // Do not escape slashes and colons, so that the service finds its URL in the link and can replace it.
  const query = Object.entries(state).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/')}`,
  )
  return `\n[Open it in the playground](${WRITTEN_ADDRESS}/console/playground?${query.join('&')})\n`
}

const SHELVES: readonly (readonly [title: string, names: readonly string[]])[] = [
  [
    'Photos for the web',
    [
      'web-photo',
      'thumbnail',
      'upright-photo',
      'heic-to-jpeg',
      'avatar',
      'social-card',
      'responsive-images',
      'upload-limit',
      'lowest-quality',
    ],
  ],
  ['Online stores', ['product-on-white', 'remove-background', 'proof-lines', 'product-sizes', 'keep-copyright']],
  ['Watermarks', ['watermark-tiles', 'logo-in-a-corner', 'video-watermark']],
  ['Looks', ['look', 'black-and-white', 'old-photograph', 'polaroid']],
  [
    'Animations and video',
    ['smaller-gif', 'gif-to-webp', 'video-poster', 'poster-sizes', 'video-contact-sheet', 'video-preview'],
  ],
  ['Documents', ['pdf-draft', 'scan-in-gray', 'pdf-cover']],
]

export function writeIndex(recipes: readonly Recipe[]): string {
  const unplaced = new Set(recipes.map(({ name }) => name))
  const cell = (name: string) => {
    const recipe = recipes.find((one) => one.name === name)
    if (recipe === undefined) throw new RangeError(`there is no recipe ${name}`)
    unplaced.delete(name)
    const alt = /\| !\[[^\]]*\][^|]*\| !\[([^\]]*)\]/.exec(recipe.written)?.[1] ?? ''
    return `[![${alt}](${name}-after.webp)](${name}.md)<br>[${recipe.title}](${name}.md)`
  }
  const shelves = SHELVES.map(([title, names]) => {
    const rows: string[] = []
    for (let at = 0; at < names.length; at += 3) {
      const cells = [0, 1, 2].map((column) => names[at + column]).map((name) => (name === undefined ? ' ' : cell(name)))
      const [images, titles] = [0, 1].map((line) => cells.map((one) => one.split('<br>')[line] ?? ' ').join(' | '))
      rows.push(`| ${images} |`, `| ${titles} |`)
    }
    const [first = '', second = '', ...others] = rows
    return `## ${title}\n${[first, '| --- | --- | --- |', second, ...others].join('\n')}`
  })
  if (unplaced.size > 0) throw new RangeError(`in no section: ${[...unplaced].join(', ')}`)
  return `# Recipes
Each recipe is a request that you can run without changes: the sample files are part of the service. For your own file, use its URL, or [upload it](../uploads.md) first. Set the address and the key:

\`\`\`sh
export MEDIAMILL_URL=${WRITTEN_ADDRESS}
export MEDIAMILL_API_KEY=svc_test_...
\`\`\`

A test key is free, but [videos](../videos.md) need an account that has bought credit. The curl samples use [jq](https://jqlang.org).

${shelves.join('\n\n')}

## Web pages
- [Upload form without server code](upload-form.md)
`
}
