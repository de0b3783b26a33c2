import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LOOK_NAMES, LOOKS } from '@mediamill/contract/drawing/looks'
import { applyLook, bakeLook } from '@mediamill/media/pixels/look-table'
import type { RawImage } from '@mediamill/media/pixels/raw-image'
import sharp from 'sharp'

// Draws `docs/assets/looks.jpg`: the same scene without a filter and with each filter. An argument sets another path.

const WIDTH = 320
const HEIGHT = 240
const LABEL = 26
const GAP = 8
const COLUMNS = 5

/** Returns an SVG in which filters are visible: sky, skin, greens, shadow, bright cloth, grays, and pure colors. */
function scene(): string {
  const patches = ['#e02020', '#f08a10', '#f5e020', '#20a040', '#18b0c8', '#2040d0', '#8a28b0', '#f070a8']
  const grays = [0, 36, 73, 109, 146, 182, 219, 255]
  const strip = (fills: string[], y: number) =>
    fills.map((fill, index) => `<rect x="${index * 40}" y="${y}" width="40" height="16" fill="${fill}"/>`).join('')
  const rgb = (value: number) => `rgb(${value},${value},${value})`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
    <defs>
      <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stop-color="#2f6fc4"/><stop offset="0.7" stop-color="#a9cdeb"/><stop offset="1" stop-color="#f8e3c4"/>
      </linearGradient>
      <radialGradient id="skin" cx="0.4" cy="0.35" r="0.8">
        <stop offset="0" stop-color="#f7d3b8"/><stop offset="0.6" stop-color="#dca382"/><stop offset="1" stop-color="#8a5238"/>
      </radialGradient>
      <radialGradient id="dark-skin" cx="0.4" cy="0.35" r="0.8">
        <stop offset="0" stop-color="#a9704c"/><stop offset="0.6" stop-color="#74452c"/><stop offset="1" stop-color="#2e1810"/>
      </radialGradient>
      <linearGradient id="meadow" x1="0" y1="0" x2="1" y2="1">
        <stop offset="0" stop-color="#8fb84a"/><stop offset="1" stop-color="#1f4a1c"/>
      </linearGradient>
    </defs>
    <rect width="320" height="160" fill="url(#sky)"/>
    <circle cx="262" cy="34" r="17" fill="#fff6d8"/>
    <ellipse cx="80" cy="34" rx="42" ry="10" fill="#ffffff" fill-opacity="0.85"/>
    <ellipse cx="108" cy="42" rx="34" ry="8" fill="#f2f4f8" fill-opacity="0.9"/>
    <path d="M0 128 L52 76 L96 118 L150 64 L214 122 L258 92 L320 130 L320 160 L0 160 Z" fill="#56657e"/>
    <path d="M150 64 L132 82 L148 88 L158 80 L170 84 Z" fill="#eef2f7"/>
    <path d="M0 138 Q90 112 180 136 T320 132 L320 208 L0 208 Z" fill="url(#meadow)"/>
    <path d="M18 150 l16 -46 l16 46 Z M40 156 l13 -38 l13 38 Z" fill="#123318"/>
    <path d="M104 208 q4 -44 40 -46 q36 2 40 46 Z" fill="#c22f36"/>
    <path d="M204 208 q4 -40 36 -42 q32 2 36 42 Z" fill="#f1ede2"/>
    <path d="M116 130 q-4 -42 28 -42 q32 0 28 42 Z" fill="#3a2416"/>
    <ellipse cx="144" cy="134" rx="21" ry="27" fill="url(#skin)"/>
    <ellipse cx="240" cy="138" rx="20" ry="26" fill="url(#dark-skin)"/>
    <path d="M221 132 q0 -26 19 -26 q19 0 19 26 q-19 -14 -38 0 Z" fill="#15100e"/>
    <g fill="#241510"><circle cx="137" cy="131" r="2.2"/><circle cx="151" cy="131" r="2.2"/><circle cx="233" cy="135" r="2"/><circle cx="247" cy="135" r="2"/></g>
    <path d="M137 146 q7 6 14 0 M233 150 q7 6 14 0" stroke="#8c2f2c" stroke-width="2.4" fill="none"/>
    ${strip(patches, 208)}${strip(grays.map(rgb), 224)}
  </svg>`
}

async function labeled(picture: RawImage, name: string): Promise<Buffer> {
  const label = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${LABEL}">
    <text x="2" y="18" font-family="DejaVu Sans, Helvetica, sans-serif" font-size="15" fill="#222">${name}</text></svg>`
  const { data, width, height, channels } = picture
  return sharp(data, { raw: { width, height, channels } })
    .extend({ bottom: LABEL, background: '#ffffff' })
    .composite([{ input: Buffer.from(label), left: 0, top: HEIGHT }])
    .png()
    .toBuffer()
}

const drawn = await sharp(Buffer.from(scene())).flatten({ background: '#ffffff' }).raw().toBuffer()
const cells = await Promise.all(
  ['original', ...LOOK_NAMES].map((name) => {
    const picture: RawImage = { data: Buffer.from(drawn), width: WIDTH, height: HEIGHT, channels: 3 }
    const look = Object.entries(LOOKS).find(([known]) => known === name)?.[1]
    if (look !== undefined) applyLook(picture, bakeLook(look, 1))
    return labeled(picture, name)
  }),
)

const target = process.argv[2] ?? fileURLToPath(new URL('../docs/assets/looks.jpg', import.meta.url))
const rows = Math.ceil(cells.length / COLUMNS)
const sheet = sharp({
  create: {
    width: COLUMNS * (WIDTH + GAP) + GAP,
    height: rows * (HEIGHT + LABEL + GAP) + GAP,
    channels: 3,
    background: '#ffffff',
  },
}).composite(
  cells.map((input, index) => ({
    input,
    left: GAP + (index % COLUMNS) * (WIDTH + GAP),
    top: GAP + Math.floor(index / COLUMNS) * (HEIGHT + LABEL + GAP),
  })),
)
await (target.endsWith('.png') ? sheet.png() : sheet.jpeg({ quality: 84, chromaSubsampling: '4:4:4' })).toFile(target)
process.stdout.write(`${target}: ${statSync(target).size} bytes\n`)
