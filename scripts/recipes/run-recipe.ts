import sharp from 'sharp'
import type { Body, Recipe } from './recipe.ts'
import { bodyOf } from './recipe.ts'

export type Kitchen = {
  url: string
  key: string
  finish: (path: string, body: unknown) => Promise<Finished>
}

export type RecipeMetadata = Record<string, unknown> & {
  width?: number
  height?: number
  size?: number
  format?: string
}
export type MadeFile = {
  name?: string | undefined
  format: string
  width?: number | undefined
  height?: number | undefined
  size: number
}

type Finished = {
  status: string
  error?: { message: string }
  price: { micro_usd: number }
  result: { data: RecipeMetadata; files: (MadeFile & { url: string; sha256: string })[] }
}

/** The outcome of a recipe. `price` is the sum of all requests, in dollars. */
type Outcome = {
  source: string
  before: RecipeMetadata
  after: RecipeMetadata
  price: number
  link: string
  sha256: string
  files: MadeFile[]
}

/** Named points at which images are compared, as fractions of the width and height. */
const POINTS = {
  'top left': [0.04, 0.04],
  'top right': [0.96, 0.04],
  middle: [0.5, 0.5],
  'left third': [0.33, 0.66],
  'bottom left': [0.04, 0.96],
  'bottom right': [0.96, 0.96],
} as const

/** The colors at the named points: red, green, blue, and alpha. */
export type Pixels = Record<string, number[]>

export async function runRecipe(recipe: Recipe, kitchen: Kitchen): Promise<Outcome> {
  const given = new Map<string, string>()
  let first: Body | undefined
  let finished: Finished | undefined
  let price = 0
  for (const step of recipe.steps) {
    const body = bodyOf(step, kitchen.url, given)
    if (step.path === 'stamps') {
      given.set(step.gives ?? '', await makeStamp(kitchen, body))
      continue
    }
    first ??= body
    finished = await succeed(kitchen, step.path, body)
    price += finished.price.micro_usd
    if (step.gives !== undefined) given.set(step.gives, linkOf(finished))
  }
  if (finished === undefined || first?.source === undefined) throw new RangeError(`${recipe.name} makes no file`)
  const [medium = ''] = (recipe.steps.find(({ path }) => path !== 'stamps')?.path ?? '').split('/')
  const read = await succeed(kitchen, `${medium}/read`, { source: first.source })
  return {
    source: first.source,
    before: read.result.data,
    after: finished.result.data,
    price: price / 1e6,
    link: linkOf(finished),
    sha256: finished.result.files[0]?.sha256 ?? '',
    files: finished.result.files.map(({ name, format, width, height, size }) => ({
      name,
      format,
      width,
      height,
      size,
    })),
  }
}

export async function imageOf(kitchen: Kitchen, source: string, metadata: RecipeMetadata): Promise<string> {
  const output = { format: 'png' }
  if (metadata.format === 'PDF') return linkOf(await succeed(kitchen, 'documents/snapshot', { source, output }))
  if ('codec' in metadata) return linkOf(await succeed(kitchen, 'videos/screenshot', { source, seconds: 1, output }))
  return source
}

/** Returns the colors of an image at the named points. Each color is the mean of the pixels around the point. */
export async function pixelsAt(link: string): Promise<Pixels> {
  const file = Buffer.from(await (await fetch(link)).arrayBuffer())
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const colorAt = ([across, down]: readonly [number, number]) => {
    const [x, y] = [Math.floor(across * (info.width - 1)), Math.floor(down * (info.height - 1))]
    const sums = [0, 0, 0, 0]
    let count = 0
    for (let row = Math.max(0, y - 2); row <= Math.min(info.height - 1, y + 2); row += 1) {
      for (let column = Math.max(0, x - 2); column <= Math.min(info.width - 1, x + 2); column += 1) {
        for (let channel = 0; channel < 4; channel += 1) {
          sums[channel] = (sums[channel] ?? 0) + (data[(row * info.width + column) * 4 + channel] ?? 0)
        }
        count += 1
      }
    }
    return sums.map((sum) => Math.round(sum / count))
  }
  return Object.fromEntries(Object.entries(POINTS).map(([name, point]) => [name, colorAt(point)]))
}

export async function succeed(kitchen: Kitchen, path: string, body: unknown): Promise<Finished> {
  const finished = await kitchen.finish(`/v1/${path}`, body)
  if (finished.status === 'succeeded') return finished
  throw new Error(`${path} ${finished.status}: ${finished.error?.message}`)
}

export const linkOf = ({ result }: Finished): string => result.files[0]?.url ?? ''

async function makeStamp({ url, key }: Kitchen, body: Body): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/stamps`, { method: 'POST', headers, body: JSON.stringify(body) })
  const stamp = (await response.json()) as { source?: string; error?: { message: string } }
  if (stamp.source === undefined) throw new Error(`stamps: ${stamp.error?.message}`)
  return stamp.source
}
