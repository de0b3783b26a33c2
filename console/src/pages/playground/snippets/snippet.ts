import type { EarlierCall } from '../earlier/earlier-call.ts'
import { STAMPS } from '../earlier/earlier-call.ts'
import { endpointNamed } from '../endpoints.ts'

/** A step of a program. If `variable` is `UPLOAD`, `$UPLOAD` in later steps stands for the result of this step. */
export type CodeStep =
  | { kind: 'upload'; variable: string; file: string }
  | { kind: 'text'; variable: string; body: Record<string, unknown> }
  | {
      kind: 'request'
      variable: string | undefined
      endpoint: string
      body: Record<string, unknown>
      /** Whether the request makes several files. Default: whether its body has `outputs`. */
      isSeveral?: boolean
    }

export type RequestStep = Extract<CodeStep, { kind: 'request' }>

export type Snippet = { baseUrl: string; steps: readonly CodeStep[] }

type Call = { endpoint: string; body: Record<string, unknown>; earlier: readonly EarlierCall[] }

export function stepsOf(call: Call, fileNames: Readonly<Record<string, string>> = {}): CodeStep[] {
  const names = new Map<string, string>()
  const name = (key: string, kind: string) => {
    const others = [...names.values()].filter((value) => value === kind || value.startsWith(`${kind}_`)).length
    const variable = others === 0 ? kind : `${kind}_${String(others + 1)}`
    names.set(key, variable)
    return variable
  }
  const uploads: CodeStep[] = []
  /** Returns a body in which variables of the program replace uploads and the results of earlier steps. */
  const named = (body: Record<string, unknown>, endpoint: string): Record<string, unknown> =>
    JSON.parse(JSON.stringify(body), (key, item: unknown) => {
      if (typeof item !== 'string') return item
      if (isUpload(item) && !names.has(item)) {
        const file = fileNames[item] ?? (key === 'image_url' ? 'watermark.png' : ownFile(endpoint))
        uploads.push({ kind: 'upload', variable: name(item, 'UPLOAD'), file })
      }
      const variable = names.get(item)
      return variable === undefined ? item : `$${variable}`
    }) as Record<string, unknown>
  const earlier = call.earlier.map(({ variable, path, body }): CodeStep => {
    if (path === STAMPS) return { kind: 'text', body, variable: name(`$${variable}`, 'TEXT') }
    const sent = named(body, path)
    return { kind: 'request', endpoint: path, body: sent, variable: name(`$${variable}`, 'RESULT') }
  })
  const body = named(call.body, call.endpoint)
  return [...uploads, ...earlier, { kind: 'request', variable: undefined, endpoint: call.endpoint, body }]
}

function ownFile(endpoint: string): string {
  if (endpoint.startsWith('images')) return 'photo.jpg'
  return endpoint.startsWith('videos') ? 'clip.mp4' : 'report.pdf'
}

const isUpload = (source: string) => source.startsWith('upload:')

export function formatOf(endpoint: string, { output }: Record<string, unknown>): string | undefined {
  const format = typeof output === 'object' && output !== null && 'format' in output ? output.format : undefined
  return typeof format === 'string' ? format : endpointNamed(endpoint).formats[0]
}

export const hasOutputs = ({ body, isSeveral }: RequestStep): boolean => isSeveral ?? Array.isArray(body['outputs'])

export const namesIn = (steps: readonly CodeStep[]): ReadonlySet<string> =>
  new Set(steps.flatMap(({ variable }) => (variable === undefined ? [] : [`$${variable}`])))
