import { textOf } from '../../../components/text-of.ts'
import type { Operation } from '../operation.ts'
import { shellWord } from './shell.ts'
import type { CodeStep, RequestStep, Snippet } from './snippet.ts'
import { formatOf, hasOutputs, namesIn } from './snippet.ts'

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['seconds', '--at'],
  ['page', '--page'],
  ['max_duration', '--max-duration'],
  ['max_pages', '--max-pages'],
])

export function cliSnippet({ baseUrl, steps }: Snippet): string {
  const names = namesIn(steps)
  // The command uploads local files itself. The results of earlier steps are local files too.
  const files = new Map(
    steps.flatMap((step): [string, string][] => {
      if (step.variable === undefined || step.kind === 'text') return []
      return [[`$${step.variable}`, step.kind === 'upload' ? step.file : fileOf(step)]]
    }),
  )
  return [
    '# Needs Node.js 22.12 or newer and the command. The command is not on npm yet. In a checkout of Mediamill:',
    '#   npm ci && npm pack ./packages/cli && npm install --global ./mediamill-cli-0.1.0.tgz',
    '# MEDIAMILL_API_KEY contains your API key.',
    `export MEDIAMILL_URL=${shellWord(baseUrl)}`,
    '',
    ...steps.flatMap((step) => linesOf(step, names, files)),
  ].join('\n')
}

const fileOf = ({ variable = 'RESULT', endpoint, body }: RequestStep) =>
  `${variable.toLowerCase()}.${formatOf(endpoint, body) ?? ''}`

function linesOf(step: CodeStep, names: ReadonlySet<string>, files: ReadonlyMap<string, string>): string[] {
  if (step.kind === 'upload') return []
  if (step.kind === 'text') return [`${step.variable}=$(${stampCommand(step.body)})`]
  const { source, operations = [], output: _output, outputs = [], variables = {}, ...fields } = step.body
  const verb = step.endpoint.split('/')[1] ?? 'process'
  const name = textOf(source)
  const words = [
    `mediamill ${verb} ${shellWord(files.get(name) ?? name, names)}`,
    ...(operations as Operation[]).map((operation) => operationFlag(operation, names, files)),
    ...(outputs as object[]).map((output) => `--output ${shellWord(outputJson(output, files), names)}`),
    ...Object.entries(fields).map(
      ([field, value]) => `${shellWord(FLAGS.get(field) ?? `--${field}`)} ${shellWord(textOf(value))}`,
    ),
    ...Object.entries(variables as object).map(
      ([variable, value]) => `--variable ${shellWord(`${variable}=${textOf(value)}`)}`,
    ),
    // With a template, the body has no format, so the command chooses the file name, in a folder.
    ...(verb === 'read'
      ? []
      : [hasOutputs(step) || 'template' in fields ? '-o out/' : `-o ${shellWord(fileOf(step))}`]),
  ]
  return [words.join(' \\\n  ')]
}

const outputJson = (output: object, files: ReadonlyMap<string, string>): string =>
  JSON.stringify(output, (_key, value: unknown) => (typeof value === 'string' ? (files.get(value) ?? value) : value))

function operationFlag(
  { type, width, height, ...others }: Operation,
  names: ReadonlySet<string>,
  files: ReadonlyMap<string, string>,
): string {
  const isBox = width !== undefined && height !== undefined
  const parameters = isBox
    ? others
    : Object.fromEntries(Object.entries({ width, height, ...others }).filter(([, value]) => value !== undefined))
  const values = [
    ...(isBox ? [`${textOf(width)}x${textOf(height)}`] : []),
    ...Object.entries(parameters).map(([name, value]) => {
      const text = textOf(value)
      return `${name}=${(files.get(text) ?? text).replaceAll(',', String.raw`\,`)}`
    }),
  ]
  const flag = shellWord(`--${type.replaceAll('_', '-')}`)
  return values.length === 0 ? flag : `${flag} ${shellWord(values.join(','), names)}`
}

function stampCommand({ type: _type, text, ...fields }: Record<string, unknown>): string {
  const valueOf = (value: unknown) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .map(([name, part]) => `${name}=${textOf(part)}`)
          .join(',')
      : textOf(value)
  const flags = Object.entries(fields).map(([name, value]) => `${shellWord(`--${name}`)} ${shellWord(valueOf(value))}`)
  const word = shellWord(textOf(text))
  return ['mediamill stamp', ...flags, ...(word.startsWith('-') ? ['--', word] : [word])].join(' ')
}
