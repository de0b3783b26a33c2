/**
 * Makes `docs/assets/stamps.jpg` for docs/uploads.md: `node_modules/.bin/node scripts/draw-stamps.ts`.
 *
 * The service draws four examples: a name tiled over a landscape, text with an outline and a shadow, text in eight
 * scripts, and a trimmed, rotated logo. An argument sets another path.
 */
import { fileURLToPath } from 'node:url'
import { startService } from '@mediamill/lab/support/service'
import { startSourceServer } from '@mediamill/lab/support/source-server'
import sharp from 'sharp'

const project = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const target = process.argv[2] ?? project('docs/assets/stamps.jpg')

const WIDTH = 480
const HEIGHT = 320
const GAP = 8

const SCRIPTS = [
  'Jane Doe · Jürgen Größe · Łukasz',
  'Николай · Αλέξανδρος',
  'محمد الهاشمي · דוד לוי',
  'अनिता शर्मा',
  '王小明 · 山田太郎 · 김민준',
].join('\n')

await using stack = new AsyncDisposableStack()
const landscape = await sharp(project('packages/server/src/commands/demo/landscape.jpg')).resize(960, 640).toBuffer()
// Add a transparent border, which the operation `trim` removes.
const logo = await sharp(project('packages/server/src/commands/demo/logo.png'))
  .extend({ top: 60, bottom: 60, left: 60, right: 60, background: '#0000' })
  .toBuffer()
const files = stack.use(await startSourceServer({ '/landscape.jpg': landscape, '/logo.png': logo }))
const service = stack.use(await startService({ allowed: [files.host] }))

type Made = { source: string; width: number; height: number }

async function stamp(body: object): Promise<Made> {
  const response = await service.call('POST', '/v1/stamps', { body })
  if (response.status !== 201) throw new Error(`${response.status} ${JSON.stringify(response.body)}`)
  return response.body
}

const name = await stamp({ type: 'text', text: '© Jane Doe', font: 'tinos_bold', size: 34, opacity: 60, rotation: -30 })
const lines = await stamp({
  type: 'text',
  text: 'Lakeside\nAutumn 2026\nnot for print',
  font: 'arimo_bold',
  size: 44,
  color: 'ffd166',
  align: 'right',
  outline: { color: '3d1f00', width: 2 },
  shadow: { x: 4, y: 4, blur: 6, opacity: 70 },
})
const scripts = await stamp({ type: 'text', text: SCRIPTS, size: 27, align: 'center', outline: { width: 2 } })
const turned = await stamp({
  type: 'image',
  source: files.url('/logo.png'),
  trim: true,
  width: 150,
  opacity: 75,
  rotation: -15,
})

const centered = ({ source, width, height }: Made) => ({
  image_url: source,
  x: Math.round((WIDTH - width) / 2),
  y: Math.round((HEIGHT - height) / 2),
})
const panels = [
  { image_url: name.source, x: 0, y: 0, tile_spacing_x: name.width + 20, tile_spacing_y: name.height + 10 },
  { ...centered(lines), x: WIDTH - lines.width - 16 },
  centered(scripts),
  { ...centered(turned), x: WIDTH - turned.width - 24, y: HEIGHT - turned.height - 16 },
]
const drawn = await Promise.all(
  panels.map(async (watermark, index) => {
    const operations = [
      { type: 'resize', width: WIDTH, height: HEIGHT, crop_center: true },
      { type: 'watermark', ...watermark },
    ]
    const body = { source: files.url('/landscape.jpg'), operations, output: { format: 'png' } }
    const request = await service.finish('/v1/images/process', body)
    const [file] = request.result?.files ?? []
    if (file === undefined) throw new Error(`panel ${index} made no file`)
    return Buffer.from(await (await fetch(file.url)).arrayBuffer())
  }),
)
await sharp({
  create: { width: 2 * WIDTH + GAP, height: 2 * HEIGHT + GAP, channels: 3, background: '#ffffff' },
})
  .composite(
    drawn.map((input, index) => ({
      input,
      left: (index % 2) * (WIDTH + GAP),
      top: Math.floor(index / 2) * (HEIGHT + GAP),
    })),
  )
  .jpeg({ quality: 86, mozjpeg: true })
  .toFile(target)
process.stdout.write(`${target}\n`)
