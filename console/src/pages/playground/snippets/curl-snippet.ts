import { shellWord } from './shell.ts'
import type { CodeStep, Snippet } from './snippet.ts'
import { hasOutputs, namesIn } from './snippet.ts'

const KEY = '-H "Authorization: Bearer $MEDIAMILL_API_KEY"'
const JSON_BODY = "-H 'Content-Type: application/json'"
const SOURCE = `jq -r '.source // error(.error.message)'`

export function curlSnippet({ baseUrl, steps }: Snippet): string {
  const names = namesIn(steps)
  return [
    '# Needs bash or zsh, curl, and jq. MEDIAMILL_API_KEY contains your API key.',
    `export MEDIAMILL_URL=${shellWord(baseUrl)}`,
    ...steps.flatMap((step) => ['', ...linesOf(step, names)]),
  ].join('\n')
}

function linesOf(step: CodeStep, names: ReadonlySet<string>): string[] {
  if (step.kind === 'upload') {
    return [
      '# Upload the file. It is deleted after 24 hours.',
      `${step.variable}=$(curl -sS "$MEDIAMILL_URL/v1/uploads" ${KEY} \\`,
      `  -H 'Content-Type: application/octet-stream' --data-binary ${shellWord(`@${step.file}`)} |`,
      `  ${SOURCE})`,
    ]
  }
  if (step.kind === 'text') {
    return [
      '# Draw the text.',
      `${step.variable}=$(curl -sS "$MEDIAMILL_URL/v1/stamps" ${KEY} \\`,
      `  ${JSON_BODY} -d ${jsonWord(step.body, names)} |`,
      `  ${SOURCE})`,
    ]
  }
  const lines = [
    '# Send the request, and wait until it finishes.',
    `REQUEST=$(curl -sS "$MEDIAMILL_URL/v1/${step.endpoint}" ${KEY} \\`,
    `  ${JSON_BODY} -H 'Prefer: wait=30' -d ${jsonWord(step.body, names)})`,
    `while jq -e '.status == "queued" or .status == "processing"' <<< "$REQUEST" > /dev/null; do`,
    `  REQUEST=$(curl -sS "$MEDIAMILL_URL/v1/requests/$(jq .id <<< "$REQUEST")" ${KEY} -H 'Prefer: wait=30')`,
    'done',
  ]
  if (step.variable !== undefined) {
    return [...lines, `${step.variable}=$(jq -r '.result.files[0].url // error(.error.message)' <<< "$REQUEST")`]
  }
  lines.push(`jq '.error // .result.data' <<< "$REQUEST"`)
  if (step.endpoint.endsWith('/read')) return lines
  if (hasOutputs(step)) {
    return [
      ...lines,
      '',
      '# Download the files.',
      `jq -r '.result.files[]? | "\\(.name).\\(.format) \\(.url)"' <<< "$REQUEST" | while read -r FILE LINK; do`,
      '  curl -sSL "$LINK" -o "$FILE"',
      'done',
    ]
  }
  return [
    ...lines,
    '',
    '# Download the result.',
    `if LINK=$(jq -er '.result.files[0].url' <<< "$REQUEST"); then`,
    `  curl -sSL "$LINK" -o "result.$(jq -r '.result.files[0].format' <<< "$REQUEST")"`,
    'fi',
  ]
}

/** Returns a body as a shell word. Variables replace the results of earlier steps. */
function jsonWord(body: Record<string, unknown>, names: ReadonlySet<string>): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`)
  return `'${json.replaceAll(/"(\$\w+)"/g, (text, name: string) => (names.has(name) ? `"'"${name}"'"` : text))}'`
}
