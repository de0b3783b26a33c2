/**
 * Draws the images that `mediamill demo` processes: `node_modules/.bin/node scripts/draw-demo.ts`.
 *
 * The script computes every pixel, so the project owns the images.
 */
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'

type Color = readonly [red: number, green: number, blue: number]

const WIDTH = 2400
const HEIGHT = 1600
const HORIZON = 0.64
const SUN = { x: 0.63, y: 0.53, radius: 0.034 }

/** Returns a pseudo-random number from 0 to 1 for a grid point. Equal arguments return equal numbers. */
function grain(x: number, y: number, seed: number): number {
  let hash = Math.imul(x, 374_761_393) ^ Math.imul(y, 668_265_263) ^ Math.imul(seed, 2_147_483_647)
  hash = Math.imul(hash ^ (hash >>> 13), 1_274_126_177)
  return ((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_295
}

const smooth = (t: number) => t * t * (3 - 2 * t)
const clamp = (t: number) => Math.min(1, Math.max(0, t))
const mix = (from: Color, to: Color, t: number): Color => [
  from[0] + (to[0] - from[0]) * t,
  from[1] + (to[1] - from[1]) * t,
  from[2] + (to[2] - from[2]) * t,
]

/** Returns one-dimensional value noise with several octaves, from -1 to 1. */
function ridge(x: number, seed: number, octaves: number): number {
  let height = 0
  let weight = 0.5
  for (let octave = 0; octave < octaves; octave += 1) {
    const at = x * 2 ** octave
    const left = Math.floor(at)
    const from = grain(left, octave, seed)
    const to = grain(left + 1, octave, seed)
    height += weight * (2 * (from + (to - from) * smooth(at - left)) - 1)
    weight *= 0.5
  }
  return height
}

/** Returns two-dimensional value noise, from 0 to 1. */
function cloud(x: number, y: number, seed: number): number {
  let sum = 0
  let weight = 0.5
  for (let octave = 0; octave < 5; octave += 1) {
    const atX = x * 2 ** octave
    const atY = y * 2 ** octave
    const left = Math.floor(atX)
    const top = Math.floor(atY)
    const across = smooth(atX - left)
    const corner = (dx: number, dy: number) => grain(left + dx, top + dy, seed + octave)
    const upper = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * across
    const lower = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * across
    sum += weight * (upper + (lower - upper) * smooth(atY - top))
    weight *= 0.5
  }
  return sum
}

const SKY: readonly (readonly [at: number, color: Color])[] = [
  [0, [28, 42, 92]],
  [0.35, [92, 84, 148]],
  [0.62, [232, 128, 118]],
  [0.82, [255, 188, 112]],
  [1, [255, 226, 160]],
]

function sky(x: number, y: number, disc = 1): Color {
  const at = clamp(y / HORIZON)
  const above = SKY.findLastIndex(([stop]) => stop <= at)
  const [from, lower] = SKY[above] ?? [0, [0, 0, 0]]
  const [to, upper] = SKY[above + 1] ?? [1, lower]
  let color = mix(lower, upper, to === from ? 0 : smooth((at - from) / (to - from)))
  const streak = clamp((cloud(x * 5, y * 26, 7) - 0.5) * 4) * clamp(1.25 - at * 0.9)
  color = mix(color, mix([255, 196, 170], [255, 236, 205], at), streak * 0.5)
  const distance = Math.hypot((x - SUN.x) * (WIDTH / HEIGHT), y - SUN.y)
  color = mix(color, [255, 240, 196], 0.75 * Math.exp(-distance * 9))
  return mix(color, [255, 250, 226], clamp((SUN.radius - distance) * HEIGHT * 0.5) * disc)
}

/** The hills. Far hills are pale and low, and near hills are dark and high. */
const HILLS = [
  { base: 0.585, height: 0.085, scale: 2.6, seed: 11, color: [196, 138, 156] },
  { base: 0.615, height: 0.075, scale: 3.4, seed: 23, color: [150, 104, 140] },
  { base: 0.645, height: 0.05, scale: 4.2, seed: 31, color: [104, 78, 120] },
] as const

const NEAR = [
  { base: 0.86, height: 0.07, scale: 2.1, seed: 47, color: [44, 46, 78], trees: 0.05 },
  { base: 0.965, height: 0.06, scale: 1.7, seed: 59, color: [20, 24, 44], trees: 0.085 },
] as const

/** Returns the height of a row of fir trees above its hill at `x`, or 0 between trees. */
function trees(x: number, seed: number, height: number): number {
  let highest = 0
  const spacing = height * 0.2
  const here = Math.floor(x / spacing)
  for (let tree = here - 2; tree <= here + 2; tree += 1) {
    const size = height * (0.35 + 0.65 * grain(tree, 1, seed)) * (grain(tree, 2, seed) < 0.82 ? 1 : 0)
    const away = Math.abs(x - (tree + 0.2 + 0.6 * grain(tree, 3, seed)) * spacing)
    const slope = size * 0.2
    if (away < slope) {
      const tip = 1 - away / slope
      highest = Math.max(highest, size * (tip - 0.1 * Math.abs(Math.sin(tip * 15)) * (1 - tip)))
    }
  }
  return highest
}

function landscape(x: number, y: number): Color {
  let color = sky(x, y)
  for (const hill of HILLS) {
    const top = hill.base - hill.height * ridge(x * hill.scale * 2, hill.seed, 6)
    if (y > top) color = mix(hill.color, [255, 196, 150], clamp(0.55 - (y - top) * 3.2) * 0.5)
  }
  if (y > HORIZON) color = lake(x, y)
  for (const hill of NEAR) {
    const ground = hill.base - hill.height * ridge(x * hill.scale * 2, hill.seed, 5)
    const top = ground - trees(x * (WIDTH / HEIGHT), hill.seed, hill.trees)
    if (y > top) color = mix(hill.color, [12, 14, 28], clamp((y - ground) * 5))
  }
  return color
}

/** Returns the color of the lake: a mirror image of the sky and the sun, distorted by small waves. */
function lake(x: number, y: number): Color {
  const depth = y - HORIZON
  const wave = (cloud(x * 6, (y * 130) / (0.25 + depth * 5), 83) - 0.5) * (0.01 + depth * 0.12)
  const mirrored = clamp(HORIZON - depth * 1.5 + wave)
  let color = mix(sky(x + wave, mirrored, 0), [54, 58, 108], 0.28 + depth * 1.1)
  for (const hill of HILLS) {
    const top = hill.base - hill.height * ridge((x + wave) * hill.scale * 2, hill.seed, 4)
    if (mirrored > top) color = mix(hill.color, [70, 62, 110], 0.4)
  }
  const glint = clamp((cloud(x * 18, (y * 240) / (0.3 + depth * 5), 97) - 0.47) * 9)
  const path = Math.exp(-(((x - SUN.x) / (0.03 + depth * 0.12)) ** 2))
  return mix(color, [255, 226, 168], glint * path * 0.85)
}

async function drawLandscape(): Promise<void> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3)
  for (let row = 0; row < HEIGHT; row += 1) {
    for (let column = 0; column < WIDTH; column += 1) {
      const x = column / WIDTH
      const y = row / HEIGHT
      const shade = 1 - 0.32 * Math.hypot(x - 0.5, y - 0.5) ** 2
      const speck = (grain(column, row, 101) + grain(column, row, 103) - 1) * 7
      const at = (row * WIDTH + column) * 3
      for (const [channel, value] of landscape(x, y).entries()) {
        pixels[at + channel] = Math.round(clamp((value * shade + speck) / 255) * 255)
      }
    }
  }
  const file = fileURLToPath(new URL('../packages/server/src/commands/demo/landscape.jpg', import.meta.url))
  await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 80, mozjpeg: true })
    .toFile(file)
}

async function drawLogo(): Promise<void> {
  const sail = (degrees: number) => `
    <g transform="rotate(${degrees} 90 78)">
      <rect x="88" y="14" width="4" height="64" rx="2"/>
      <path d="M94 18 h17 v42 h-17 z" fill-opacity="0.92"/>
    </g>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="180" height="180" viewBox="0 0 180 180">
    <circle cx="90" cy="90" r="88" fill="#0e1230" fill-opacity="0.42"/>
    <circle cx="90" cy="90" r="84" fill="none" stroke="#fff" stroke-opacity="0.85" stroke-width="2.5"/>
    <g fill="#fff">
      <path d="M78 82 L102 82 L112 146 L68 146 Z" fill-opacity="0.96"/>
      ${[20, 110, 200, 290].map(sail).join('')}
      <circle cx="90" cy="78" r="7" fill="#0e1230"/>
      <circle cx="90" cy="78" r="4.5"/>
    </g>
  </svg>`
  const file = fileURLToPath(new URL('../packages/server/src/commands/demo/logo.png', import.meta.url))
  await sharp(Buffer.from(svg)).png({ compressionLevel: 9 }).toFile(file)
}

await drawLandscape()
await drawLogo()
