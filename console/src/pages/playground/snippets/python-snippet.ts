import type { Snippet } from './snippet.ts'

/** The call for Python with `requests`. */
export function pythonSnippet({ baseUrl, endpoint, body }: Snippet): string {
  return [
    'import os',
    'import requests',
    '',
    'answer = requests.post(',
    `    ${JSON.stringify(`${baseUrl}/v1/${endpoint}`)},`,
    '    headers={"Authorization": f"Bearer {os.environ[\'MEDIAMILL_API_KEY\']}", "Prefer": "wait=30"},',
    `    json=${literal(body).replaceAll('\n', '\n    ')},`,
    '    timeout=60,',
    ')',
    'answer.raise_for_status()',
    'request = answer.json()',
    'print(request["status"], request.get("result"))',
  ].join('\n')
}

/** A value as Python writes it. */
function literal(value: unknown): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null || value === undefined) return 'None'
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(literal).join(', ')}]`
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item)}`)
    return `{${entries.join(', ')}}`
  }
  return JSON.stringify(value)
}
