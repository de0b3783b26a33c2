import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { StampFont } from '@mediamill/contract/domain/rendering/stamp'
import type { Characters } from '../../fonts/characters.ts'
import { readCharacters } from '../../fonts/characters.ts'
import type { FontPackageName, Style } from '../../fonts/font-packages.ts'
import { FONT_PACKAGES, fontPath, readFont } from '../../fonts/font-packages.ts'
import { readTables } from '../../fonts/true-type.ts'

type ChosenFont = { path: string; family: string }

const FAMILIES: Readonly<Record<FontPackageName, string>> = {
  arimo: 'Arimo',
  tinos: 'Tinos',
  cousine: 'Cousine',
  courier: 'Courier Prime',
  arabic: 'Noto Naskh Arabic',
  devanagari: 'Noto Sans Devanagari',
  japanese: 'Noto Sans Japanese',
  korean: 'Noto Sans Korean',
  simplified: 'Noto Sans S Chinese',
  traditional: 'Noto Sans T Chinese',
  emoji: 'Noto Emoji',
}

export function styleOf(font: StampFont): Style & { name: FontPackageName } {
  const name = (['tinos', 'cousine', 'courier'] as const).find((one) => font.startsWith(one)) ?? 'arimo'
  return { name, bold: font.includes('_bold'), italic: font.includes('_italic') }
}

export type Run = { text: string; font: ChosenFont }

/** Splits a line into runs with one font each. Throws if no bundled font has a character. */
export function chooseFonts(line: string, font: StampFont, han = hanOrder(line)): Run[] {
  const { name, ...style } = styleOf(font)
  const order = [...new Set<FontPackageName>([name, ...(BEHIND[name] ?? []), ...OTHERS, ...han])]
  const runs: { text: string; name: FontPackageName }[] = []
  for (const { segment } of clusters.segment(line)) {
    for (const part of inOneFont(segment, order, style) ? [segment] : segment) {
      const found = inOneFont(part, order, style)
      if (found === undefined) throw undrawable(part)
      const last = runs.at(-1)
      if (last?.name === found) last.text += part
      else runs.push({ text: part, name: found })
    }
  }
  return runs.map(({ text, name }) => {
    return { text, font: { path: fontPath(FONT_PACKAGES[name], style), family: FAMILIES[name] } }
  })
}

const clusters = new Intl.Segmenter('und', { granularity: 'grapheme' })

/** The character that requests the emoji form of the previous character. */
const AS_EMOJI = '\ufe0f'

const OTHERS = ['arimo', 'arabic', 'devanagari', 'emoji'] as const

function inOneFont(cluster: string, order: readonly FontPackageName[], style: Style): FontPackageName | undefined {
  const codes = [...cluster].filter((one) => !isUndrawn(one)).map((one) => one.codePointAt(0) ?? 0)
  const preferred: readonly FontPackageName[] = cluster.includes(AS_EMOJI) ? ['emoji', ...order] : order
  return preferred.find((name) => {
    const has = charactersOf(name, style)
    return has !== undefined && codes.every((code) => has.has(code))
  })
}

const BEHIND: Readonly<Partial<Record<FontPackageName, readonly FontPackageName[]>>> = { courier: ['cousine'] }

/**
 * Returns the fonts for Han characters in order of preference, by the other letters of the text. The default is
 * simplified Chinese.
 */
export function hanOrder(text: string): FontPackageName[] {
  const rest = ['simplified', 'traditional', 'japanese', 'korean'] as const
  if (/[\p{sc=Hiragana}\p{sc=Katakana}]/u.test(text)) return ['japanese', ...rest]
  if (/\p{sc=Hangul}/u.test(text)) return ['korean', ...rest]
  return /\p{sc=Bopomofo}/u.test(text) ? ['traditional', ...rest] : [...rest]
}

const isUndrawn = (character: string) =>
  /[ \u00a0\u2000-\u200a\u202f\u205f\u3000\p{Default_Ignorable_Code_Point}]/u.test(character)

const read = new Map<string, Characters | undefined>()

function charactersOf(name: FontPackageName, style: Style): Characters | undefined {
  const key = `${name} ${style.bold} ${style.italic}`
  if (!read.has(key)) {
    const font = readFont(FONT_PACKAGES[name], style)
    read.set(key, font && readCharacters(readTables(font)))
  }
  return read.get(key)
}

function undrawable(character: string): RequestFailure {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const named = /[\p{C}\p{Z}]/u.test(character) ? '' : ` "${character}"`
  return new RequestFailure(
    'processing_failed',
    `The bundled fonts do not have the character U+${code}${named}. Remove it, or upload the text as an image.`,
  )
}
