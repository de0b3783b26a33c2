import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Methods } from '@embedpdf/pdfium'

/** What of a PDFium takes fonts. */
type FontHost = {
  api: Pick<Methods, 'FPDF_SetSystemFontInfo'>
  heap: () => Buffer
  words: (pointer: number, count: number) => Int32Array
  allocate: (size: number) => number
  callback: (callback: (...args: number[]) => number | void, signature: string) => number
}

/** Noto Sans (OFL 1.1) by the character sets of `wingdi.h` that PDFium asks with. */
const FAMILIES: Readonly<Record<number, { entry: () => string; file: string }>> = {
  128: { entry: () => import.meta.resolve('@embedpdf/fonts-jp'), file: 'NotoSansJP' },
  129: { entry: () => import.meta.resolve('@embedpdf/fonts-kr'), file: 'NotoSansKR' },
  134: { entry: () => import.meta.resolve('@embedpdf/fonts-sc'), file: 'NotoSansHans' },
  136: { entry: () => import.meta.resolve('@embedpdf/fonts-tc'), file: 'NotoSansHant' },
}

const BOLD_FROM_WEIGHT = 600

/**
 * Gives PDFium fonts for Chinese, Japanese and Korean text whose own fonts are not in the document.
 *
 * Everything else stays with the fonts that PDFium brings. The fonts are read when a document asks for them.
 */
export function useFallbackFonts(pdfium: FontHost): void {
  const handles = new Map<number, string>()
  const fonts = new Map<number, Buffer>()

  /** A handle for the font file that suits, or 0: PDFium goes on with its own. */
  const find = (weight: number, charset: number) => {
    const family = FAMILIES[charset]
    if (family === undefined) return 0
    const handle = charset * 2 + (weight >= BOLD_FROM_WEIGHT ? 1 : 0)
    const style = handle % 2 === 1 ? 'Bold' : 'Regular'
    const path = fontPath(family.entry, `${family.file}-${style}.otf`)
    if (path === undefined) return 0
    handles.set(handle, path)
    return handle
  }
  const load = (handle: number) => {
    const font = fonts.get(handle) ?? readFileSync(handles.get(handle) ?? '')
    fonts.set(handle, font)
    return font
  }
  /** Copies what fits and says how much there is: how all of PDFium's callbacks with buffers work. */
  const copy = (bytes: Buffer, buffer: number, size: number) => {
    if (buffer !== 0 && size >= bytes.length) pdfium.heap().set(bytes, buffer)
    return bytes.length
  }

  // `FPDF_SYSFONTINFO`, version 1 (`fpdf_sysfontinfo.h`): it must live as long as PDFium does.
  const info = pdfium.allocate(36)
  pdfium.words(info, 9).set([
    1,
    pdfium.callback(() => {}, 'vi'),
    pdfium.callback(() => {}, 'vii'),
    pdfium.callback((_self, weight = 0, _italic, charset = 0) => find(weight, charset), 'iiiiiiii'),
    pdfium.callback(() => 0, 'iii'),
    pdfium.callback(
      // Tables by name are only asked for in font collections; 0 is the whole font.
      (_self, handle = 0, table = 0, buffer = 0, size = 0) => (table === 0 ? copy(load(handle), buffer, size) : 0),
      'iiiiii',
    ),
    pdfium.callback(
      (_self, handle = 0, buffer = 0, size = 0) => copy(Buffer.from(`Noto Sans ${handle}\0`, 'latin1'), buffer, size),
      'iiiii',
    ),
    pdfium.callback((_self, handle = 0) => Math.floor(handle / 2), 'iii'),
    pdfium.callback(() => {}, 'vii'),
  ])
  pdfium.api.FPDF_SetSystemFontInfo(info)
}

/** Where an installed font lies; an operator may leave the packages out. */
function fontPath(entry: () => string, file: string): string | undefined {
  try {
    const path = fileURLToPath(new URL(`../fonts/${file}`, entry()))
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}
