import { textOf } from '../../../components/text-of.ts'
import type { Operation } from '../recipe.ts'
import type { Snippet } from './snippet.ts'
import { isUpload, ownFile } from './snippet.ts'

const VERBS: Record<string, string> = {
  process: 'process',
  read: 'read',
  screenshot: 'screenshot',
  snapshot: 'snapshot',
}
const FLAGS: Record<string, string> = {
  seconds: '--at',
  page: '--page',
  max_duration: '--max-duration',
  max_pages: '--max-pages',
}

/** The call for the command line: a flag for each operation, in their order. */
export function cliSnippet({ baseUrl, endpoint, body }: Snippet): string {
  const { source, operations = [], output, ...numbers } = body
  const verb = VERBS[endpoint.split('/')[1] ?? ''] ?? 'process'
  const format = output === undefined ? undefined : (output as { format: string }).format
  const words = [
    `mediamill ${verb} ${quoted(isUpload(source) ? ownFile(endpoint) : String(source))}`,
    ...(operations as Operation[]).map(operationFlag),
    ...Object.entries(numbers).map(([name, value]) => `${FLAGS[name] ?? `--${name}`} ${textOf(value)}`),
    ...(format === undefined ? [] : [`--format ${format}`]),
    ...(verb === 'read' ? [] : ['-o out/']),
  ]
  return `# The key is read from MEDIAMILL_API_KEY.\nexport MEDIAMILL_URL=${baseUrl}\n${words.join(' \\\n  ')}`
}

/** `--resize 800x600,crop_center=true`: a box as its two sides, all else by name. */
function operationFlag({ type, width, height, ...others }: Operation): string {
  const isBox = width !== undefined && height !== undefined
  const parameters = isBox
    ? others
    : Object.fromEntries(Object.entries({ width, height, ...others }).filter(([, value]) => value !== undefined))
  const values = [
    ...(isBox ? [`${textOf(width)}x${textOf(height)}`] : []),
    ...Object.entries(parameters).map(([name, value]) => `${name}=${textOf(value).replaceAll(',', String.raw`\,`)}`),
  ]
  return `--${type.replaceAll('_', '-')} ${quoted(values.join(','))}`.trim()
}

/** Text as a shell takes it: quoted where it has to be. */
const quoted = (text: string) => (/^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)
