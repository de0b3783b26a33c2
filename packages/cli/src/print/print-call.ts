import type { Job } from '../batch/job.ts'
import { typedPath, withOverlay } from '../batch/overlays.ts'
import type { Language } from '../batch/processing-options.ts'
import { quoted } from '../completion/shell-text.ts'

type Printed = { job: Job; saveTo: readonly string[] }

export function printCall(printed: Printed, language: Language): string {
  switch (language) {
    case 'json':
      return json(printed.job)
    case 'curl':
      return curl(printed)
    case 'ts':
      return typescript(printed)
    case 'python':
      return python(printed)
  }
}

/** Returns the local files of a job. With `--print json`, the user must upload these files. */
export function filesToUpload({ source, body, overlays }: Job): string[] {
  return [...(source.kind === 'file' ? [source.path] : []), ...overlays.map((overlay) => typedPath(body, overlay))]
}

function bodyWith({ source, body, overlays }: Job, fileOf: (path: string) => string): Record<string, unknown> {
  const own = source.kind === 'url' ? source.url : fileOf(source.path)
  const typed: Record<string, unknown> = { source: own, ...body }
  return overlays.reduce((one, overlay) => withOverlay(one, overlay, fileOf(typedPath(body, overlay))), typed)
}

function json(job: Job): string {
  let count = 0
  return JSON.stringify(
    bodyWith(job, () => `upload:UPLOAD_${(count += 1)}`),
    null,
    2,
  )
}

const CURL = 'curl -sSf -H "Authorization: Bearer $MEDIAMILL_API_KEY"'

function curl({ job, saveTo }: Printed): string {
  const names: string[] = []
  const lines: string[] = []
  const uploaded = (path: string) => {
    const name = `UPLOAD_${names.push(path)}`
    lines.push(
      `${name}=$(${CURL} "$MEDIAMILL_URL/v1/uploads" \\`,
      `  -H 'Content-Type: application/octet-stream' --data-binary ${quoted(`@${path}`)} | sed 's/.*"source":"\\([^"]*\\)".*/\\1/')`,
    )
    return `\0${name}\0`
  }
  const body = JSON.stringify(bodyWith(job, uploaded))
  // Ends the single quotes before each shell variable, and starts them again after it.
  const text = quoted(body).replaceAll(/\\u0000(\w+)\\u0000/g, `'"$$$1"'`)
  return [
    ...lines,
    `RESPONSE=$(${CURL} "$MEDIAMILL_URL/v1/${job.endpoint}" \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=30' -d ${text})`,
    `ID=$(printf '%s' "$RESPONSE" | sed 's/^{"id":\\([0-9]*\\).*/\\1/')`,
    `while printf '%s' "$RESPONSE" | grep -Eq '^{"id":[0-9]+,"object":"request","endpoint":"[^"]*","status":"(queued|processing)"'; do`,
    `  sleep 1; RESPONSE=$(${CURL} -H 'Prefer: wait=30' "$MEDIAMILL_URL/v1/requests/$ID")`,
    'done',
    ...saved(saveTo),
  ].join('\n')
}

function saved(saveTo: readonly string[]): string[] {
  const [first, ...others] = saveTo
  if (first === undefined) return [`printf '%s\\n' "$RESPONSE"`]
  if (others.length === 0) {
    return [
      `LINK=$(printf '%s' "$RESPONSE" | sed -n 's/.*"result":.*"url":"\\([^"]*\\)".*/\\1/p')`,
      `test -n "$LINK" && curl -sSfL "$LINK" -o ${quoted(first)} || printf '%s\\n' "$RESPONSE"`,
    ]
  }
  return [
    `LINKS=$(printf '%s' "$RESPONSE" | sed -n 's/.*"result"://p' | grep -o '"url":"[^"]*"' | cut -d '"' -f 4)`,
    'if test -n "$LINKS"; then',
    ...saveTo.map(
      (path, index) => `  curl -sSfL "$(printf '%s\\n' "$LINKS" | sed -n ${index + 1}p)" -o ${quoted(path)}`,
    ),
    `else printf '%s\\n' "$RESPONSE"; fi`,
  ]
}

const hasFiles = (job: Job) => job.source.kind === 'file' || job.overlays.length > 0

function typescript({ job, saveTo }: Printed): string {
  const [group = '', verb = ''] = job.endpoint.split('/')
  const body = JSON.stringify(
    bodyWith(job, (path) => `\0await openFile(${JSON.stringify(path)})\0`),
    null,
    2,
  )
    .split(/"\\u0000|\\u0000"/)
    // Pieces with an odd index are code, not JSON.
    .map((piece, index) => (index % 2 === 1 ? (JSON.parse(`"${piece}"`) as string) : piece))
    .join('')
    .replaceAll(/^( *)"([a-z_]+)":/gm, '$1$2:')
  return [
    `import { Mediamill${hasFiles(job) ? ', openFile' : ''} } from '@mediamill/sdk'`,
    '',
    'const mediamill = new Mediamill() // reads MEDIAMILL_URL and MEDIAMILL_API_KEY',
    `const { result } = await mediamill.${group}.${verb}(${body}).wait()`,
    ...(saveTo.length === 0
      ? ['console.log(result.data)']
      : saveTo.map(
          (path, index) => `await result.files[${index}]${index === 0 ? '' : '?'}.save(${JSON.stringify(path)})`,
        )),
  ].join('\n')
}

function python({ job, saveTo }: Printed): string {
  const body = pythonOf(bodyWith(job, (path) => `\0upload(${JSON.stringify(path)})\0`))
  const upload = [
    '',
    'def upload(path):',
    '    with open(path, "rb") as file:',
    '        response = session.post(f"{url}/v1/uploads", data=file, headers={"Content-Type": "application/octet-stream"})',
    '    response.raise_for_status()',
    '    return response.json()["source"]',
  ]
  return [
    'import os, requests',
    '',
    'url = os.environ["MEDIAMILL_URL"]',
    'session = requests.Session()',
    'session.headers["Authorization"] = f"Bearer {os.environ[\'MEDIAMILL_API_KEY\']}"',
    ...(hasFiles(job) ? upload : []),
    '',
    `response = session.post(f"{url}/v1/${job.endpoint}", json=${body}, headers={"Prefer": "wait=30"})`,
    'response.raise_for_status()',
    'request = response.json()',
    'while request["status"] in ("queued", "processing"):',
    '    response = session.get(f"{url}/v1/requests/{request[\'id\']}", headers={"Prefer": "wait=30"})',
    '    response.raise_for_status()',
    '    request = response.json()',
    'if request["status"] != "succeeded":',
    '    raise SystemExit(request.get("error", request["status"]))',
    ...(saveTo.length === 0
      ? ['print(request["result"]["data"])']
      : saveTo.flatMap((path, index) => [
          `response = requests.get(request["result"]["files"][${index}]["url"])`,
          'response.raise_for_status()',
          `with open(${JSON.stringify(path)}, "wb") as file:`,
          '    file.write(response.content)',
        ])),
  ].join('\n')
}

function pythonOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value === null) return 'None'
  if (typeof value === 'string') return value.startsWith('\0') ? value.slice(1, -1) : JSON.stringify(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, item]) => `${JSON.stringify(name)}: ${pythonOf(item)}`)
    .join(', ')}}`
}
