import type { Snippet } from './snippet.ts'
import { isUpload, ownFile } from './snippet.ts'

/** The call for the client library, which reads the address and the key from the environment. */
export function typescriptSnippet({ baseUrl, endpoint, body }: Snippet): string {
  const { source, ...others } = body
  const [medium, verb] = endpoint.split('/')
  const own = isUpload(source)
  const makesFile = verb !== 'read'
  return [
    `import { Mediamill${own ? ', openFile' : ''} } from '@mediamill/sdk'`,
    '',
    '// The key is read from MEDIAMILL_API_KEY.',
    `const mediamill = new Mediamill({ baseUrl: ${literal(baseUrl)} })`,
    `const { result } = await mediamill.${medium ?? ''}`,
    `  .${verb ?? ''}({`,
    `    source: ${own ? `await openFile('${ownFile(endpoint)}')` : literal(source)},`,
    ...Object.entries(others).map(([name, value]) => `    ${name}: ${indented(literal(value))},`),
    '  })',
    '  .wait()',
    makesFile ? 'console.log(result.files[0]?.url, result.data)' : 'console.log(result.data)',
  ].join('\n')
}

const indented = (text: string) => text.replaceAll('\n', '\n    ')

/** A value as TypeScript writes it: single quotes, names without them. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[\n${value.map((item) => `  ${literal(item)},`).join('\n')}\n]`
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([name, item]) => `${name}: ${literal(item)}`)
      .join(', ')} }`
  }
  return String(value)
}
