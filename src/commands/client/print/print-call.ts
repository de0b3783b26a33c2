import { basename } from 'node:path'
import { withOverlay } from '../remote/job-key.ts'
import type { Job } from '../work/job.ts'
import type { Language } from './languages.ts'

/** Shows the call that a job is, in a language. What it sends of this machine's files is uploaded first. */
export function printCall(job: Job, language: Language): string {
  switch (language) {
    case 'json':
      return JSON.stringify(
        bodyWith(job, sourceOf(job), (path) => path),
        null,
        2,
      )
    case 'curl':
      return curl(job)
    case 'ts':
      return typescript(job)
    case 'python':
      return python(job)
  }
}

const sourceOf = ({ source }: Job) => (source.kind === 'url' ? source.url : source.path)

function bodyWith({ body, overlays }: Job, source: unknown, overlayOf: (path: string, index: number) => string) {
  const changed = overlays.reduce(
    (one, overlay, index) => withOverlay(one, overlay, overlayOf(overlay.path, index)),
    body,
  )
  return { source, ...changed }
}

/** A text in a shell's single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

function curl(job: Job): string {
  const names: string[] = []
  const lines: string[] = []
  const uploaded = (path: string) => {
    const name = `UPLOAD_${names.push(path)}`
    lines.push(
      `${name}=$(curl -sf "$MEDIAMILL_URL/v1/uploads" -H "Authorization: Bearer $MEDIAMILL_API_KEY" \\`,
      `  -H 'Content-Type: application/octet-stream' --data-binary ${quoted(`@${path}`)} | sed 's/.*"source":"\\([^"]*\\)".*/\\1/')`,
    )
    return `\0${name}\0`
  }
  const source = job.source.kind === 'url' ? job.source.url : uploaded(job.source.path)
  const body = JSON.stringify(bodyWith(job, source, uploaded))
  // Out of the quotes for a variable, and into them again.
  const text = quoted(body).replaceAll(/\\u0000(\w+)\\u0000/g, `'"$$$1"'`)
  lines.push(
    `curl -sf "$MEDIAMILL_URL/v1/${job.endpoint}" -H "Authorization: Bearer $MEDIAMILL_API_KEY" \\`,
    `  -H 'Content-Type: application/json' -H 'Prefer: wait=30' -d ${text}`,
  )
  return lines.join('\n')
}

function typescript(job: Job): string {
  const [group = '', verb = ''] = job.endpoint.split('/')
  const hasFiles = job.source.kind === 'file' || job.overlays.length > 0
  const opened = (path: string) => `\0await openFile(${JSON.stringify(path)})\0`
  const source = job.source.kind === 'url' ? job.source.url : opened(job.source.path)
  const body = JSON.stringify(bodyWith(job, source, opened), null, 2)
    .replaceAll(/"\\u0000(.*?)\\u0000"/g, (_, code: string) => JSON.parse(`"${code}"`) as string)
    .replaceAll(/^(\s*)"([a-z_]+)":/gm, '$1$2:')
  return [
    `import { Mediamill${hasFiles ? ', openFile' : ''} } from '@mediamill/sdk'`,
    '',
    'const mediamill = new Mediamill() // MEDIAMILL_URL, MEDIAMILL_API_KEY',
    `const { result } = await mediamill.${group}.${verb}(${body}).wait()`,
    verb === 'read'
      ? 'console.log(result.data)'
      : `await result.files[0].save(${JSON.stringify(`result-of-${nameOf(job)}`)})`,
  ].join('\n')
}

const nameOf = (job: Job) => basename(sourceOf(job)).replace(/\.\w+$/, '')

function python(job: Job): string {
  const uploaded = (path: string) => `\0upload(${JSON.stringify(path)})\0`
  const source = job.source.kind === 'url' ? job.source.url : uploaded(job.source.path)
  const body = pythonOf(bodyWith(job, source, uploaded))
  const hasFiles = job.source.kind === 'file' || job.overlays.length > 0
  const upload = [
    '',
    'def upload(path):',
    '    with open(path, "rb") as file:',
    '        answer = session.post(f"{url}/v1/uploads", data=file, headers={"Content-Type": "application/octet-stream"})',
    '    answer.raise_for_status()',
    '    return answer.json()["source"]',
  ]
  return [
    'import os, requests',
    '',
    'url = os.environ["MEDIAMILL_URL"]',
    'session = requests.Session()',
    'session.headers["Authorization"] = f"Bearer {os.environ[\'MEDIAMILL_API_KEY\']}"',
    ...(hasFiles ? upload : []),
    '',
    `answer = session.post(f"{url}/v1/${job.endpoint}", json=${body}, headers={"Prefer": "wait=30"})`,
    'answer.raise_for_status()',
    'print(answer.json()["status"], answer.json().get("result"))',
  ].join('\n')
}

/** A value as Python writes it. */
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
