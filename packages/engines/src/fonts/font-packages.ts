import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Style = { bold: boolean; italic: boolean }

export type FontPackage = {
  entry: () => string
  /** The path of the most similar style, relative to the entry file of the package. */
  path: (style: Style) => string
}

const google = (name: string, entry: () => string, leans = true): FontPackage => ({
  entry,
  path: ({ bold, italic }) => {
    const style = `${bold ? '700Bold' : '400Regular'}${italic && leans ? '_Italic' : ''}`
    return `./${style}/${name}_${style}.ttf`
  },
})

const noto = (name: string, ending: string, entry: () => string): FontPackage => ({
  entry,
  path: ({ bold }) => `../fonts/${name}-${bold ? 'Bold' : 'Regular'}.${ending}`,
})

/** The bundled fonts. Fonts of the machine are never used, so that results are the same on every machine. */
export const FONT_PACKAGES = {
  arimo: google('Arimo', () => import.meta.resolve('@expo-google-fonts/arimo')),
  tinos: google('Tinos', () => import.meta.resolve('@expo-google-fonts/tinos')),
  cousine: google('Cousine', () => import.meta.resolve('@expo-google-fonts/cousine')),
  courier: google('CourierPrime', () => import.meta.resolve('@expo-google-fonts/courier-prime')),
  arabic: noto('NotoNaskhArabic', 'ttf', () => import.meta.resolve('@embedpdf/fonts-arabic')),
  devanagari: google('NotoSansDevanagari', () => import.meta.resolve('@expo-google-fonts/noto-sans-devanagari'), false),
  japanese: noto('NotoSansJP', 'otf', () => import.meta.resolve('@embedpdf/fonts-jp')),
  korean: noto('NotoSansKR', 'otf', () => import.meta.resolve('@embedpdf/fonts-kr')),
  simplified: noto('NotoSansHans', 'otf', () => import.meta.resolve('@embedpdf/fonts-sc')),
  traditional: noto('NotoSansHant', 'otf', () => import.meta.resolve('@embedpdf/fonts-tc')),
  emoji: google('NotoEmoji', () => import.meta.resolve('@expo-google-fonts/noto-emoji'), false),
} as const satisfies Record<string, FontPackage>

export type FontPackageName = keyof typeof FONT_PACKAGES

export function fontPath({ entry, path }: FontPackage, style: Style): string {
  return fileURLToPath(new URL(path(style), entry()))
}

/** Reads a font file. Returns `undefined` if the package is not installed, because operators may omit fonts. */
export function readFont(font: FontPackage, style: Style): Buffer | undefined {
  try {
    return readFileSync(fontPath(font, style))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
