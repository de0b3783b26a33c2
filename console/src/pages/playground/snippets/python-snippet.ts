import type { CodeStep, Snippet } from './snippet.ts'
import { hasOutputs } from './snippet.ts'

export function pythonSnippet({ baseUrl, steps }: Snippet): string {
  const values = new Map(
    steps.flatMap((step) => (step.variable === undefined ? [] : [[`$${step.variable}`, valueOf(step)] as const])),
  )
  return `# Needs Python 3.9 or newer, and no packages. MEDIAMILL_API_KEY contains your API key.
import json
import os
from urllib.error import HTTPError
from urllib.request import Request, urlopen

MEDIAMILL_URL = ${JSON.stringify(baseUrl)}


def call(path, data=None, content_type="application/json"):
    headers = {
        "Authorization": f"Bearer {os.environ['MEDIAMILL_API_KEY']}",
        "Content-Type": content_type,
        "Prefer": "wait=30",
    }
    try:
        with urlopen(Request(f"{MEDIAMILL_URL}/v1/{path}", data, headers)) as response:
            return json.load(response)
    except HTTPError as error:
        raise SystemExit(error.read().decode())


def run(path, body):
    request = call(path, json.dumps(body).encode())
    while request.get("status") in ("queued", "processing"):
        request = call(f"requests/{request['id']}")
    if "error" in request:
        raise SystemExit(request["error"]["message"])
    return request

${steps.map((step) => linesOf(step, values).join('\n')).join('\n\n')}`
}

const nameOf = (variable: string) => variable.toLowerCase()
const valueOf = (step: CodeStep) =>
  `${nameOf(step.variable ?? '')}["${step.kind === 'request' ? 'result"]["files"][0]["url' : 'source'}"]`

function linesOf(step: CodeStep, values: ReadonlyMap<string, string>): string[] {
  if (step.kind === 'upload') {
    return [
      `with open(${JSON.stringify(step.file)}, "rb") as source:`,
      `    ${nameOf(step.variable)} = call("uploads", source.read(), "application/octet-stream")`,
    ]
  }
  if (step.kind === 'text') return [`${nameOf(step.variable)} = run("stamps", ${literal(step.body, values)})`]
  const name = step.variable === undefined ? 'request' : nameOf(step.variable)
  const request = [`${name} = run("${step.endpoint}", ${literal(step.body, values)})`]
  if (step.variable !== undefined) return request
  request.push('print(request["result"]["data"])')
  if (step.endpoint.endsWith('/read')) return request
  if (hasOutputs(step)) {
    return [
      ...request,
      '',
      'for file in request["result"]["files"]:',
      `    with urlopen(file["url"]) as response, open(f"{file['name']}.{file['format']}", "wb") as result:`,
      '        result.write(response.read())',
    ]
  }
  return [
    ...request,
    '',
    'file = request["result"]["files"][0]',
    `with urlopen(file["url"]) as response, open(f"result.{file['format']}", "wb") as result:`,
    '    result.write(response.read())',
  ]
}

/** Returns a value as Python code. Variables replace the results of earlier steps. */
function literal(value: unknown, values: ReadonlyMap<string, string>, indent = ''): string {
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'string') return values.get(value) ?? JSON.stringify(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${indent}    `
  const isList = Array.isArray(value)
  const items = isList
    ? value.map((item) => literal(item, values, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item, values, inner)}`)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const line = `${open}${items.join(', ')}${close}`
  if (indent.length + line.length <= 90 && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `${inner}${item},`).join('\n')}\n${indent}${close}`
}
