import type { Box } from './iso-bmff.ts'
import { boxes, findBox } from './iso-bmff.ts'

export type HeifItems = {
  primary: number
  items: Map<number, { type: string; hidden: boolean }>
  properties: Map<number, Box[]>
  references: { type: string; from: number; to: number[] }[]
}

export function readItems(meta: Buffer): HeifItems {
  const pitm = findBox(meta, 'pitm')
  const iprp = findBox(meta, 'iprp')
  return {
    primary: pitm === undefined ? 0 : readId(pitm, 4, (pitm[0] ?? 0) > 0),
    items: readItemTypes(findBox(meta, 'iinf')),
    properties: iprp === undefined ? new Map() : readProperties(iprp),
    references: readReferences(findBox(meta, 'iref')),
  }
}

const readId = (body: Buffer, at: number, wide: boolean) => (wide ? body.readUInt32BE(at) : body.readUInt16BE(at))

function readItemTypes(iinf: Buffer | undefined): HeifItems['items'] {
  const items: HeifItems['items'] = new Map()
  if (iinf === undefined) return items
  for (const { type, body } of boxes(iinf.subarray(iinf[0] === 0 ? 6 : 8))) {
    if (type !== 'infe') continue
    const version = body[0] ?? 0
    const after = version === 2 ? 6 : 8
    items.set(readId(body, 4, version > 2), {
      type: body.toString('latin1', after + 2, after + 6),
      hidden: ((body[3] ?? 0) & 1) === 1,
    })
  }
  return items
}

function readProperties(iprp: Buffer): HeifItems['properties'] {
  const properties: HeifItems['properties'] = new Map()
  for (const { item, property } of associations(iprp)) {
    const own = properties.get(item) ?? []
    own.push(property)
    properties.set(item, own)
  }
  return properties
}

type Association = { item: number; property: Box; index: Buffer }

/** Yields the properties of all items. `index`: the bytes that contain the index of the property. */
function* associations(iprp: Buffer): Generator<Association> {
  const known = [...boxes(findBox(iprp, 'ipco') ?? Buffer.alloc(0))]
  for (const { type, body } of boxes(iprp)) {
    if (type !== 'ipma') continue
    const wideId = (body[0] ?? 0) > 0
    const indexBytes = ((body[3] ?? 0) & 1) === 1 ? 2 : 1
    const entries = body.readUInt32BE(4)
    let at = 8
    for (let entry = 0; entry < entries; entry += 1) {
      const item = readId(body, at, wideId)
      at += wideId ? 4 : 2
      const count = body.readUInt8(at)
      at += 1
      for (let index = 0; index < count; index += 1, at += indexBytes) {
        // The highest bit is a flag.
        const number = body.readUIntBE(at, indexBytes) & (indexBytes === 2 ? 0x7fff : 0x7f)
        const property = known[number - 1]
        if (property !== undefined) yield { item, property, index: body.subarray(at, at + indexBytes) }
      }
    }
  }
}

const TRANSFORMS: ReadonlySet<string> = new Set(['clap', 'irot', 'imir'])

/** Returns the crop, rotation, and flip of an item. */
export const transformsOf = ({ properties }: HeifItems, item: number): Box[] =>
  (properties.get(item) ?? []).filter(({ type }) => TRANSFORMS.has(type))

/** Removes the crop, rotation, and flip of an item in place. Index 0 means no property (ISO 14496-12, `ipma`). */
export function removeTransforms(meta: Buffer, from: number): void {
  for (const { item, property, index } of associations(findBox(meta, 'iprp') ?? Buffer.alloc(0)))
    if (item === from && TRANSFORMS.has(property.type)) index.fill(0)
}

function readReferences(iref: Buffer | undefined): HeifItems['references'] {
  if (iref === undefined) return []
  const wide = (iref[0] ?? 0) > 0
  const bytes = wide ? 4 : 2
  return Array.from(boxes(iref.subarray(4)), ({ type, body }) => {
    const count = body.readUInt16BE(bytes)
    const to = Array.from({ length: count }, (_, index) => readId(body, bytes + 2 + index * bytes, wide))
    return { type, from: readId(body, 0, wide), to }
  })
}
