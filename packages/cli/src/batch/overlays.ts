import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isUrl } from '../inputs/input.ts'
import { UsageError } from '../usage-error.ts'
import type { Overlay } from './job.ts'

type Body = Record<string, unknown>

export async function overlaysOf(body: Body): Promise<Overlay[]> {
  const overlays: Overlay[] = []
  for (const { field, operation } of operationsIn(body)) {
    for (const [param, value] of Object.entries(operation)) {
      if (!param.endsWith('_url') || typeof value !== 'string' || isUrl(value) || value.startsWith('upload:')) continue
      const path = resolve(value)
      const found = await stat(path).catch(() => undefined)
      if (found === undefined) throw new UsageError(`The file ${value} does not exist.`)
      if (!found.isFile()) throw new UsageError(`${value} is not a file.`)
      overlays.push({ field: [...field, param], path })
    }
  }
  return overlays
}

function operationsIn({ operations, outputs }: Body): { field: Overlay['field']; operation: object }[] {
  const listed = (list: unknown, field: Overlay['field']) =>
    (Array.isArray(list) ? (list as object[]) : []).map((operation, index) => ({ field: [...field, index], operation }))
  const elements = Array.isArray(outputs) ? (outputs as { operations?: unknown }[]) : []
  return [
    ...listed(operations, ['operations']),
    ...elements.flatMap((output, index) => listed(output.operations, ['outputs', index, 'operations'])),
  ]
}

export function withOverlay(body: Body, { field }: Pick<Overlay, 'field'>, value: unknown): Body {
  return replaced(body, field, value) as Body
}

function replaced(value: unknown, [key, ...others]: Overlay['field'], by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((one, index) => (index === key ? replaced(one, others, by) : one))
  const object = value as Body
  return { ...object, [key]: replaced(object[key], others, by) }
}

export function typedPath(body: Body, { field }: Overlay): string {
  let value: unknown = body
  for (const key of field) value = (value as Record<string | number, unknown>)[key]
  return String(value)
}
