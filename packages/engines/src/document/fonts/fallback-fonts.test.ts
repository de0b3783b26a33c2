import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pixelsOf } from '../../image/process-fixture.ts'
import { onePage, snapshot, stream } from '../document-fixture.ts'

const CELL = 36
const PIXELS = (CELL * 150) / 72

type Font = { base: string; objects: (text: string) => string[]; codesOf: (text: string) => string }

const FLAGS = { sans: 32, fixed: 33, serif: 34 }
const descriptor = (base: string, flags: number) =>
  `<</Type/FontDescriptor/FontName/${base}/Flags ${flags}/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>`
const distinct = (text: string) => [...new Set(text)]
const hex = (code: number, digits: number) => code.toString(16).toUpperCase().padStart(digits, '0')
const codeUnit = (character: string) => character.codePointAt(0) ?? 0

/** Returns a font with one byte per character. The encoding assigns character names to the bytes from 128 on. */
const named = (subtype: 'TrueType' | 'Type1', base: string, flags?: number): Font => ({
  base,
  codesOf: (text) => [...text].map((character) => hex(128 + distinct(text).indexOf(character), 2)).join(' '),
  objects: (text) => {
    const names = distinct(text).map((character) => `/uni${hex(codeUnit(character), 4)}`)
    const described = flags === undefined ? '' : `/FontDescriptor ${descriptor(base, flags)}`
    return [
      `<</Type/Font/Subtype/${subtype}/BaseFont/${base}${described}/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[128${names.join('')}]>>>>`,
    ]
  },
})

/**
 * Returns a font whose text consists of 16-bit glyph numbers. Only `ToUnicode`, if present, maps the numbers to
 * characters.
 */
const numbered = (base: string, flags = FLAGS.sans, { toUnicode = true, offset = 0 } = {}): Font => ({
  base,
  codesOf: (text) => [...text].map((character) => hex(codeUnit(character) + offset, 4)).join(' '),
  objects: (text) => [
    `<</Type/Font/Subtype/Type0/BaseFont/${base}/Encoding/Identity-H/DescendantFonts[6 0 R]${toUnicode ? '/ToUnicode 7 0 R' : ''}>>`,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/${base}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000/FontDescriptor ${descriptor(base, flags)}>>`,
    stream(
      `begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange ${distinct(text)
        .map((character) => `1 beginbfchar <${hex(codeUnit(character), 4)}> <${hex(codeUnit(character), 4)}> endbfchar`)
        .join('\n')} endcmap`,
    ),
  ],
})

function pageOf({ objects, codesOf }: Font, text: string): Buffer {
  const shown = codesOf(text)
    .split(' ')
    .map((code, index) => `1 0 0 1 ${index * CELL + 4} 10 Tm <${code}> Tj`)
  const entries = `/MediaBox[0 0 ${CELL * [...text].length} ${CELL}]/Resources<</Font<</F 5 0 R>>>>`
  return onePage(entries, `BT /F 24 Tf ${shown.join(' ')} ET`, objects(text))
}

/** For each character, returns its dark pixels as cropped lines (`look`), and their share (`ink`). */
async function squaresOf(font: Font, text: string): Promise<{ look: string; ink: number }[]> {
  const { data, width, height } = await pixelsOf((await snapshot(pageOf(font, text))).bytes)
  return [...text].map((_, index) => {
    const isDark = (x: number, y: number) => (data[(y * width + index * PIXELS + x) * 4] ?? 255) < 128
    const rows = Array.from({ length: height }, (_row, y) =>
      Array.from({ length: PIXELS }, (_pixel, x) => (isDark(x, y) ? '#' : ' ')).join(''),
    )
    const inked = rows.filter((row) => row.includes('#'))
    const left = Math.min(...inked.map((row) => row.indexOf('#')))
    const look = inked.map((row) => row.slice(left).trimEnd()).join('\n')
    return { look, ink: look.replaceAll(/[ \n]/g, '').length / (PIXELS * height) }
  })
}

function areAlike(a: string, b: string): boolean {
  const [rows, others] = [a.split('\n'), b.split('\n')]
  if (rows.length !== others.length) return false
  const off = rows.flatMap((row, y) => [...row.padEnd(PIXELS)].filter((pixel, x) => pixel !== (others[y]?.[x] ?? ' ')))
  return off.length < a.length / 10
}

async function boxOf(font: Font): Promise<string> {
  const [box] = await squaresOf(font, 'ก')
  return box?.look ?? ''
}

async function assertDrawn(font: Font, text: string): Promise<void> {
  const squares = await squaresOf(font, distinct(text).join(''))
  const box = await boxOf(font)
  for (const [index, { look, ink }] of squares.entries()) {
    assert.ok(ink > 0.005 && ink < 0.6, `${font.base}: ${distinct(text)[index]} of ${text} covers ${ink}`)
    assert.ok(!areAlike(look, box), `${font.base}: ${distinct(text)[index]} of ${text} is a box`)
  }
  assert.equal(new Set(squares.map(({ look }) => look)).size, squares.length, `${font.base}: ${text}`)
}

const TEXTS = {
  Russian: 'Приветмщука',
  Ukrainian: 'їєґі',
  Greek: 'Καλημέρόσς',
  Czech: 'řščťůňěž',
  Polish: 'ążółćęś',
  Hungarian: 'őűÁí',
  Turkish: 'ğşİı',
  Vietnamese: 'ếệđượữ',
  Hebrew: 'שלום',
  Arabic: 'ﻣﺮﺣﺒﺎ',
}

test('a snapshot draws text whose font is missing from the document: European scripts, Hebrew, and Arabic [documents.fonts.1]', async () => {
  for (const text of Object.values(TEXTS)) {
    for (const base of ['Arial', 'TimesNewRoman', 'CourierNew', 'Calibri,Bold']) {
      await assertDrawn(named('TrueType', base, FLAGS.sans), text)
    }
    for (const base of ['Helvetica', 'Times-Italic', 'Courier']) await assertDrawn(named('Type1', base), text)
    for (const base of ['ArialMT', 'TimesNewRomanPSMT', 'Unheard']) await assertDrawn(numbered(base), text)
  }
})

test('a snapshot draws Chinese, Japanese, and Korean text if only the font name identifies the script', async () => {
  for (const base of ['SimSun', 'MicrosoftYaHei', '#CB#CE#CC#E5']) await assertDrawn(numbered(base), '汉语们')
  for (const base of ['MS-Gothic', 'Meiryo', '#82l#82r#83S']) await assertDrawn(numbered(base), '日本かな')
  for (const base of ['MalgunGothic', 'Batang']) await assertDrawn(numbered(base), '한국어')
  for (const base of ['PMingLiU', 'MicrosoftJhengHei']) await assertDrawn(numbered(base), '漢語們')
})

test('a snapshot draws a box for a character that no font has, in every kind of font [documents.fonts.2]', async () => {
  for (const font of [
    named('TrueType', 'Tahoma', FLAGS.sans),
    named('Type1', 'Helvetica'),
    named('Type1', 'Courier'),
    numbered('Tahoma'),
    numbered('SimSun'),
  ]) {
    const [space, ...boxes] = await squaresOf(font, ' สदက')
    assert.equal(space?.ink, 0, font.base)
    const { look = '', ink = 0 } = boxes[0] ?? {}
    for (const box of boxes) assert.ok(areAlike(box.look, look), font.base)
    assert.ok(ink > 0.005 && ink < 0.2, `${font.base}: ${ink}`)
    // The box has four straight sides, so its first row of ink is as long as its last row.
    const rows = look.split('\n')
    assert.match(rows[0] ?? '', /^#{6,}$/, font.base)
    assert.ok(Math.abs((rows.at(-1)?.length ?? 0) - (rows[0]?.length ?? 0)) <= 1, font.base)
  }
})

test('a snapshot draws no boxes for spaces, directional marks, and control characters', async () => {
  const blanks = '\u0007\u00a0\u2003\u200b\u200f\u202e\u3000\ufe0f\ufeff'
  for (const font of [named('TrueType', 'Arial', FLAGS.sans), named('Type1', 'Times-Roman'), numbered('ArialMT')]) {
    for (const [index, { ink }] of (await squaresOf(font, blanks)).entries()) {
      assert.equal(ink, 0, `${font.base}: U+${hex(blanks.charCodeAt(index), 4)}`)
    }
  }
})

test('a fallback font keeps the fixed pitch and serifs that the font flags or the font name specify', async () => {
  const looksOf = async (font: Font, text: string) => (await squaresOf(font, text)).map(({ look }) => look).join('')
  const likeSans = await looksOf(named('TrueType', 'Arial'), 'IiHan')
  const likeSerif = await looksOf(named('TrueType', 'TimesNewRoman'), 'IiHan')
  const likeFixed = await looksOf(named('TrueType', 'Consolas'), 'IiHan')
  assert.equal(new Set([likeSans, likeSerif, likeFixed]).size, 3)
  for (const base of ['Georgia', 'Cambria', 'Garamond', 'BookAntiqua']) {
    assert.equal(await looksOf(named('TrueType', base), 'IiHan'), likeSerif, base)
  }
  for (const base of ['Verdana', 'Calibri', 'Unheard']) {
    assert.equal(await looksOf(named('TrueType', base), 'IiHan'), likeSans, base)
  }
  assert.equal(await looksOf(numbered('Unheard', FLAGS.serif), 'IiHan'), await looksOf(numbered('Georgia'), 'IiHan'))
  assert.equal(await looksOf(numbered('Unheard', FLAGS.fixed), 'IiHan'), await looksOf(numbered('Consolas'), 'IiHan'))
  assert.notEqual(await looksOf(named('TrueType', 'Georgia,Bold'), 'IiHan'), likeSerif)
})

test('a snapshot draws Arial text without a mapping to characters by its glyph numbers', async () => {
  // In Arial and in its replacement, the glyph number of a character is its ASCII code minus 29.
  const explained = await squaresOf(numbered('ArialMT'), 'Hag')
  const bare = await squaresOf(numbered('ArialMT', FLAGS.sans, { toUnicode: false, offset: -29 }), 'Hag')
  assert.deepEqual(bare, explained)
})

test('a snapshot draws the fonts Symbol and ZapfDingbats with the shapes that PDFium includes', async () => {
  const font = (base: string): Font => ({
    base,
    codesOf: (text) => [...text].map((character) => hex(codeUnit(character), 2)).join(' '),
    objects: () => [`<</Type/Font/Subtype/Type1/BaseFont/${base}>>`],
  })
  // Runs sequentially, because each page image overwrites the memory of the previous image.
  const looks = new Set<string>()
  for (const base of ['Symbol', 'ZapfDingbats', 'Helvetica'])
    for (const { look } of await squaresOf(font(base), 'abW')) looks.add(look)
  assert.equal(looks.size, 9)
})
