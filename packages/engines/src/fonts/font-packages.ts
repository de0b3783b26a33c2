import { fileURLToPath } from 'node:url'

/** How a font's letters stand. */
export type Style = { bold: boolean; italic: boolean }

/** The files of one family that come along with the service, by their style. */
export type FontPackage = {
  /** Where the package begins; throws where it is not installed. */
  entry: () => string
  /** Where a style lies from there. A family without it gives the nearest that it has. */
  path: (style: Style) => string
}

/** Fonts as Google's packages lay them out, with letters that lean or without. */
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

/** All fonts that come along: results never depend on those of the machine. */
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

/** The file of a family in one of its styles. Throws `ERR_MODULE_NOT_FOUND` where its package is not installed. */
export function fontPath({ entry, path }: FontPackage, style: Style): string {
  return fileURLToPath(new URL(path(style), entry()))
}

/** Tells whether an error says that a font is not installed. An operator may leave one out. */
export function isNotInstalled(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ERR_MODULE_NOT_FOUND'
}
