import type { CodeStep, Snippet } from './snippet.ts'
import { hasOutputs } from './snippet.ts'

export function typescriptSnippet({ baseUrl, steps }: Snippet): string {
  const files = steps.some(({ kind }) => kind === 'upload')
  const values = new Map(
    steps.flatMap((step) => (step.variable === undefined ? [] : [[`$${step.variable}`, valueOf(step)] as const])),
  )
  return [
    '// Needs Node.js 24 and the library. The library is not on npm yet. In a checkout of Mediamill:',
    '//   npm ci && npm pack ./packages/sdk',
    '// In your own project:',
    '//   npm install path/to/mediamill-sdk-0.1.0.tgz',
    '// Save this code as process.mts, and run: node process.mts',
    `import { Mediamill${files ? ', openFile' : ''} } from '@mediamill/sdk'`,
    '',
    '// MEDIAMILL_API_KEY contains your API key.',
    `const mediamill = new Mediamill({ baseUrl: ${text(baseUrl)} })`,
    ...steps.flatMap((step) => ['', ...linesOf(step, values)]),
  ].join('\n')
}

const nameOf = (variable: string) => variable.toLowerCase().replaceAll('_', '')
const valueOf = (step: CodeStep) =>
  `${nameOf(step.variable ?? '')}${step.kind === 'request' ? '.result.files[0].url' : ''}`

function linesOf(step: CodeStep, values: ReadonlyMap<string, string>): string[] {
  if (step.kind === 'upload') return [`const ${nameOf(step.variable)} = await openFile(${text(step.file)})`]
  if (step.kind === 'text') {
    return [`const ${nameOf(step.variable)} = await mediamill.stamps.create(${literal(step.body, values)})`]
  }
  const [medium = '', verb = ''] = step.endpoint.split('/')
  const fields = Object.entries(step.body).map(
    ([name, value]) => `    ${keyOf(name)}: ${literal(value, values, '    ')},`,
  )
  const request = [
    `const ${step.variable === undefined ? 'request' : nameOf(step.variable)} = await mediamill.${medium}`,
    `  .${verb}({`,
    ...fields,
    '  })',
    '  .wait()',
  ]
  if (step.variable !== undefined) return request
  request.push('console.log(request.result.data)')
  if (verb === 'read') return request
  if (hasOutputs(step)) {
    return [...request, '', 'for (const file of request.result.files) await file.save(`${file.name}.${file.format}`)']
  }
  return [...request, '', 'const [file] = request.result.files', 'await file.save(`result.${file.format}`)']
}

const text = (value: string) =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll(String.raw`\"`, '"').replaceAll("'", String.raw`\'`)}'`

const keyOf = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : text(name))

/** Returns a value as TypeScript code. Variables replace the results of earlier steps. */
function literal(value: unknown, values: ReadonlyMap<string, string>, indent = ''): string {
  if (typeof value === 'string') return values.get(value) ?? text(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => literal(item, values, inner))
    : Object.entries(value).map(([name, item]) => `${keyOf(name)}: ${literal(item, values, inner)}`)
  if (items.length === 0) return isList ? '[]' : '{}'
  const line = isList ? `[${items.join(', ')}]` : `{ ${items.join(', ')} }`
  if (indent.length + line.length <= 90 && !line.includes('\n')) return line
  const lines = items.map((item) => `${inner}${item},`).join('\n')
  return isList ? `[\n${lines}\n${indent}]` : `{\n${lines}\n${indent}}`
}
