import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { composeFont } from './compose.ts'
import type { Family } from './families.ts'

/** A family in one of its styles. */
export type Face = { family: Family; bold: boolean; italic: boolean }

type Package = { entry: () => string; path: (face: Face) => string }

const google = (name: string, entry: () => string): Package => ({
  entry,
  path: ({ bold, italic }) => {
    const style = `${bold ? '700Bold' : '400Regular'}${italic ? '_Italic' : ''}`
    return `./${style}/${name}_${style}.ttf`
  },
})
const noto = (name: string, ending: string, entry: () => string): Package => ({
  entry,
  path: ({ bold }) => `../fonts/${name}-${bold ? 'Bold' : 'Regular'}.${ending}`,
})

const ARABIC = noto('NotoNaskhArabic', 'ttf', () => import.meta.resolve('@embedpdf/fonts-arabic'))
const COUSINE = google('Cousine', () => import.meta.resolve('@expo-google-fonts/cousine'))

/**
 * What draws each family: the first font, and what it lacks in the ones behind it.
 *
 * Letters are as wide as those of Arial, Times New Roman, Courier New and Courier, so lines end where they did.
 */
const PACKAGES: Readonly<Record<Family, readonly [Package, ...Package[]]>> = {
  sans: [google('Arimo', () => import.meta.resolve('@expo-google-fonts/arimo')), ARABIC],
  serif: [google('Tinos', () => import.meta.resolve('@expo-google-fonts/tinos')), ARABIC],
  fixed: [COUSINE, ARABIC],
  courier: [google('CourierPrime', () => import.meta.resolve('@expo-google-fonts/courier-prime')), COUSINE, ARABIC],
  JP: [noto('NotoSansJP', 'otf', () => import.meta.resolve('@embedpdf/fonts-jp'))],
  KR: [noto('NotoSansKR', 'otf', () => import.meta.resolve('@embedpdf/fonts-kr'))],
  SC: [noto('NotoSansHans', 'otf', () => import.meta.resolve('@embedpdf/fonts-sc'))],
  TC: [noto('NotoSansHant', 'otf', () => import.meta.resolve('@embedpdf/fonts-tc'))],
}

/** Tells whether a family has letters that lean. */
export const hasItalic = (family: Family): boolean => PACKAGES[family].length > 1

/** The font that draws `face`. It is `undefined` where its package is not installed: an operator may leave one out. */
export function readFont(face: Face): Buffer | undefined {
  const [first, ...others] = PACKAGES[face.family]
  const font = readIfThere(first, face)
  if (font === undefined || others.length === 0) return font
  return composeFont(
    font,
    others.flatMap((other) => readIfThere(other, face) ?? []),
  )
}

function readIfThere({ entry, path }: Package, face: Face): Buffer | undefined {
  try {
    return readFileSync(fileURLToPath(new URL(path(face), entry())))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
