import { deflateSync } from 'node:zlib'
import type { Size } from '@mediamill/contract/domain/size'
import type { PlannedStamp } from '@mediamill/media/plan/document'
import type { Matrix, PageGeometry } from '../geometry.ts'
import type { EditedFile, NewStream } from '../pdf/edited-file.ts'
import type { PdfText } from '../pdf/syntax.ts'
import { writeArray, writeDictionary, writeNumber, writeReference } from '../pdf/syntax.ts'
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
  return file.addStream({ ...form, entries: [...form.entries, ['Matrix', numberArray(toPage)]] })
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
    entries: [
      ['Type', '/XObject'],
      ['Subtype', '/Form'],
      ['BBox', numberArray(box)],
      ['Resources', written],
      ...entries,
    ],
    data,
  }
}

export function contentStream(content: string): NewStream {
  const plain = { entries: [], data: Buffer.from(content, 'latin1') }
  const small = deflated(plain)
  return small.data.length + 20 < plain.data.length ? small : plain
}

const deflated = ({ entries, data }: NewStream): NewStream => ({
  entries: [...entries, ['Filter', '/FlateDecode']],
  data: deflateSync(data, { level: 9 }),
})

const numberArray = (values: readonly number[]) => `[${numbers(values)}]`

type StampDrawing = {
  content: string
  /** Maps the resource name of each tiled watermark to one row of copies. Pages draw the row at several positions. */
  rows: Map<string, { content: string; box: readonly [number, number, number, number] }>
  opacities: Map<string, number>
}

type NamedImage = { name: string; upright: Matrix }

/** Draws the watermarks of a page. `page` is in points. The origin is at the bottom left. */
function drawStamps(
  stamps: readonly PlannedStamp[],
  page: Size,
  images: ReadonlyMap<string, NamedImage>,
): StampDrawing {
  const drawing: StampDrawing = { content: '', rows: new Map(), opacities: new Map() }
  for (const stamp of stamps) {
    switch (stamp.stamp) {
      case 'image':
        drawing.content += drawCopies(stamp, page, images, drawing)
        break
      case 'lines':
        drawing.content += drawLines(stamp, page, drawing)
        break
    }
  }
  return drawing
}

type ImageStamp = Extract<PlannedStamp, { stamp: 'image' }>
type LinesStamp = Extract<PlannedStamp, { stamp: 'lines' }>

function drawCopies(
  { assetUrl, size, columns, rows }: ImageStamp,
  page: Size,
  images: ReadonlyMap<string, NamedImage>,
  drawing: StampDrawing,
): string {
  const image = images.get(assetUrl)
  if (image === undefined) throw new RangeError('a watermark image of the plan was not read')
  const bottoms = rows.map((y) => page.height - y - size.height)
  const row = (bottom: number) => columns.map((left) => drawImage(image, { ...size, left, bottom })).join('')
  if (columns.length === 1 || bottoms.length === 1) return bottoms.map(row).join('')
  const name = `R${drawing.rows.size}`
  const left = columns[0] ?? 0
  const right = (columns.at(-1) ?? 0) + size.width
  drawing.rows.set(name, { content: row(0), box: [left, 0, right, size.height] })
  return bottoms.map((bottom) => `q ${numbers([1, 0, 0, 1, 0, bottom])} cm /${name} Do Q\n`).join('')
}

function drawImage({ name, upright }: NamedImage, at: Size & { left: number; bottom: number }): string {
  const [a, b, c, d, e, f] = upright
  const { width, height, left, bottom } = at
  const matrix = [a * width, b * height, c * width, d * height, e * width + left, f * height + bottom]
  return `q ${numbers(matrix)} cm /${name} Do Q\n`
}

/** Draws the diagonal lines. Both lines are one path, so that the color is not drawn twice where they cross. */
function drawLines({ color, opacity, width }: LinesStamp, page: Size, drawing: StampDrawing): string {
  const alpha = (color.alpha / 255) * opacity
  if (alpha === 0) return ''
  const name = `G${drawing.opacities.size}`
  drawing.opacities.set(name, alpha)
  const over = width / Math.min(page.width, page.height)
  const [left, right] = [-over * page.width, (1 + over) * page.width]
  const [bottom, top] = [-over * page.height, (1 + over) * page.height]
  const rgb = numbers([color.r / 255, color.g / 255, color.b / 255])
  const path = `${numbers([left, bottom])} m ${numbers([right, top])} l ${numbers([left, top])} m ${numbers([right, bottom])} l`
  return `q /${name} gs ${rgb} RG ${writeNumber(width)} w ${path} S Q\n`
}

const numbers = (values: readonly number[]) => values.map(writeNumber).join(' ')
