import { deflateSync } from 'node:zlib'
import type { PlannedStamp } from '@mediamill/media/plan/document'
import type { PageGeometry } from '../geometry.ts'
import type { EditedFile, NewStream } from '../pdf/edited-file.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { writeArray, writeDictionary, writeNumber, writeReference } from '../pdf/syntax.ts'
import type { NamedImage } from './stamp-form.ts'
import { drawStamps } from './stamp-form.ts'
import type { StampImage } from './stamp-images.ts'

type AddedImage = NamedImage & { number: number }

export function addImages(file: EditedFile, images: ReadonlyMap<string, StampImage>): Map<string, AddedImage> {
  const added = new Map<string, AddedImage>()
  for (const [url, { image, profile, mask, upright }] of images) {
    const entries = new Map(image.entries)
    if (profile !== undefined) {
      const number = file.addStream(deflated(profile))
      entries.set('ColorSpace', writeArray(['/ICCBased', writeReference(number)]))
    }
    if (mask !== undefined) entries.set('SMask', writeReference(file.addStream(mask)))
    const number = file.addStream({ entries: [...entries], data: image.data })
    added.set(url, { name: `I${added.size}`, upright, number })
  }
  return added
}

export function addForm(
  file: EditedFile,
  { size, toPage }: PageGeometry,
  stamps: readonly PlannedStamp[],
  images: ReadonlyMap<string, AddedImage>,
): number | undefined {
  const { content, rows, opacities } = drawStamps(stamps, size, images)
  if (content === '') return undefined
  const used = new Set(stamps.map((stamp) => (stamp.stamp === 'image' ? stamp.assetUrl : undefined)))
  const xObjects = [...images].flatMap(([url, { name, number }]): [string, PdfText][] =>
    used.has(url) ? [[name, writeReference(number)]] : [],
  )
  const rowObjects = [...rows].map(([name, row]): [string, PdfText] => {
    const form = formStream(row.content, row.box, { XObject: xObjects })
    return [name, writeReference(file.addStream(form))]
  })
  const states = [...opacities].map(([name, opacity]): [string, PdfText] => {
    const alpha = writeNumber(opacity)
    return [name, `<</Type/ExtGState/CA ${alpha}/ca ${alpha}>>`]
  })
  const resources = { XObject: [...xObjects, ...rowObjects], ExtGState: states }
  const form = formStream(content, [0, 0, size.width, size.height], resources)
  return file.addStream({ ...form, entries: [...form.entries, ['Matrix', numbers(toPage)]] })
}

function formStream(
  content: string,
  box: readonly number[],
  resources: Record<string, [string, PdfText][]>,
): NewStream {
  const filled = Object.entries(resources).filter(([, entries]) => entries.length > 0)
  const written = writeDictionary(filled.map(([name, entries]) => [name, writeDictionary(entries)]))
  const { entries, data } = contentStream(content)
  return {
    entries: [['Type', '/XObject'], ['Subtype', '/Form'], ['BBox', numbers(box)], ['Resources', written], ...entries],
    data,
  }
}

/** Creates a content stream. Compresses it if that makes it smaller. */
export function contentStream(content: string): NewStream {
  const plain = { entries: [], data: Buffer.from(content, 'latin1') }
  const small = deflated(plain)
  return small.data.length + 20 < plain.data.length ? small : plain
}

const deflated = ({ entries, data }: NewStream): NewStream => ({
  entries: [...entries, ['Filter', '/FlateDecode']],
  data: deflateSync(data, { level: 9 }),
})

const numbers = (values: readonly number[]) => writeArray(values.map(writeNumber))
