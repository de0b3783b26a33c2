import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { TextStamp } from '@mediamill/contract/domain/rendering/stamp'
import { MAX_STAMP } from '@mediamill/contract/domain/rendering/stamp'
import type { Size } from '@mediamill/contract/domain/size'
import type { Mask } from '@mediamill/media/pixels/stamps/mask'
import { shrinkMask } from '@mediamill/media/pixels/stamps/mask'
import sharp from 'sharp'
import { checkStampSize } from './check-size.ts'
import type { Run } from './choose-fonts.ts'
import { chooseFonts, hanOrder, styleOf } from './choose-fonts.ts'

/** The font size of a first drawing, from which the final size is estimated. */
const PROBE_SIZE = 16

const PROBE_SLACK = 1.5

export async function drawLetters({
  text,
  font,
  size,
  align,
}: Pick<TextStamp, 'text' | 'font' | 'size' | 'align'>): Promise<Mask> {
  // Combines letters and accents, because a font may have only the combined character.
  const composed = text.normalize('NFC')
  const han = hanOrder(composed)
  const lines = composed.split('\n').map((line) => chooseFonts(withoutStrayEnds(line), font, han))
  for (const run of lines.flat()) await makeFontKnown(run.font)
  const [family = ''] = lines.flat().map((run) => run.font.family)
  if (family === '') throw showsNothing()
  const { bold, italic } = styleOf(font)
  const words = `${bold ? ' Bold' : ''}${italic ? ' Italic' : ''}`
  const draw = (pixels: number) => run(markupOf(lines), `${family},${words} ${pixels}`, align)
  if (size > PROBE_SIZE) {
    const probe = await draw(PROBE_SIZE)
    // Checks before it allocates memory, because the widest letters would need huge masks.
    rejectFarTooLarge(probe, size / PROBE_SIZE)
  }
  const drawn = JOINED.test(composed) ? await drawJoined(draw, size) : await draw(size)
  checkStampSize(drawn)
  return drawn
}

/** Scripts whose letters overlap where they join. */
const JOINED = /[\p{Script=Devanagari}\p{Script=Arabic}]/u

// At scale 8, each pixel has 64 levels. Large letters need fewer, because a smaller share of pixels is at edges.
const SCALES = [8, 4]
const MAX_SAMPLES = 32_000_000
// At this scale, the largest mask (`MAX_STAMP`) has 144 million samples of 3 to 5 bytes each.
const MIN_SCALE = 3

/** Draws letters too large and shrinks them, because Pango adds up the coverage of overlapping letters. */
async function drawJoined(draw: (pixels: number) => Promise<Mask>, size: number): Promise<Mask> {
  const { width, height } = await draw(size)
  checkStampSize({ width, height })
  const scale = SCALES.find((each) => width * height * each ** 2 <= MAX_SAMPLES) ?? MIN_SCALE
  return shrinkMask(await draw(size * scale), scale)
}

function rejectFarTooLarge({ width, height }: Size, factor: number): void {
  const size = { width: Math.round(width * factor), height: Math.round(height * factor) }
  if (Math.max(size.width, size.height) > MAX_STAMP.side * PROBE_SLACK) checkStampSize(size)
  if (size.width * size.height > MAX_STAMP.pixels * PROBE_SLACK) checkStampSize(size)
}

async function run(text: string, font: string, align: TextStamp['align']): Promise<Mask> {
  const letters = sharp({ text: { text, font, align: align === 'center' ? 'centre' : align, dpi: 72 } })
  try {
    const { data, info } = await letters.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
    if (info.channels !== 1) throw new TypeError(`the image of the letters has ${info.channels} channels in place of 1`)
    return { data, width: info.width, height: info.height }
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('no text to render'))) throw error
    throw showsNothing(error)
  }
}

const showsNothing = (cause?: unknown) =>
  new RequestFailure('processing_failed', 'The text is invisible. Send text with letters.', { cause })

const LEFT_TO_RIGHT = '\u200e'
const ISOLATE = '\u2068'
const END_ISOLATE = '\u2069'

/**
 * Returns the text in Pango's markup. A left-to-right mark determines the alignment of each line. An isolate keeps the
 * text from changing the alignment.
 */
function markupOf(lines: readonly Run[][]): string {
  const marked = lines.map((runs) =>
    runs.map(({ text, font }) => `<span face="${font.family}">${literal(text)}</span>`),
  )
  return marked.map((line) => `${LEFT_TO_RIGHT}${ISOLATE}${line.join('')}${END_ISOLATE}`).join('\n')
}

function literal(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Removes unmatched `END_ISOLATE` characters, which would end the isolate around the line. */
function withoutStrayEnds(line: string): string {
  let open = 0
  return line.replaceAll(/[\u2066-\u2069]/g, (sign) => {
    open += sign === END_ISOLATE ? -1 : 1
    if (open >= 0) return sign
    open = 0
    return ''
  })
}

/** The configuration of fontconfig. It contains no font folders, so no font of the machine is used. */
const CONFIGURATION = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <reset-dirs/>
  <cachedir>${join(tmpdir(), 'no-font-cache')}</cachedir>
  <config><rescan><int>0</int></rescan></config>
  <match target="font">
    <edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="hinting" mode="assign"><bool>false</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>
</fontconfig>
`

/** The path of the configuration. The supervisor sets the same path for every engine. */
const CONFIGURATION_PATH = join(tmpdir(), 'fonts.conf')

const known = new Set<string>()

/** Loads a font into fontconfig. Writes the configuration first, because fontconfig reads it at the first text. */
export async function makeFontKnown({ path, family }: { path: string; family: string }): Promise<void> {
  if (known.has(path)) return
  if (known.size === 0) writeFileSync(CONFIGURATION_PATH, CONFIGURATION)
  const probe = sharp({ text: { text: '1', font: `${family}, 10`, fontfile: path, dpi: 72 } })
  await probe.raw().toBuffer()
  known.add(path)
}
