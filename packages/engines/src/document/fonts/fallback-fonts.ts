import type { Pdfium } from '../pdfium/pdfium-instance.ts'
import { familyOf, STYLED_NAMES } from './families.ts'
import type { Face } from './font-files.ts'
import { hasItalic, readFace } from './font-files.ts'

const BOLD_FROM_WEIGHT = 600
/** The character set if the document names none (`wingdi.h`). */
const DEFAULT_CHARSET = 1

// Cached for the process: a restarted PDFium needs the same fonts again, and merging a font is slow.
const HANDLES = new Map<string, number>()
const FONTS: Buffer[] = []

function handleOf(face: Face): number {
  const key = JSON.stringify(face)
  const known = HANDLES.get(key)
  if (known !== undefined) return known
  const font = readFace(face)
  const handle = font === undefined ? 0 : FONTS.push(font)
  HANDLES.set(key, handle)
  return handle
}

export function useFallbackFonts(pdfium: Pdfium): void {
  const charsets = new Map<number, number>()

  const find = (weight: number, isItalic: boolean, charset: number, pitch: number, name: string) => {
    const family = familyOf(name, charset, pitch)
    if (family === undefined) return 0
    const face = { family, bold: weight >= BOLD_FROM_WEIGHT, italic: isItalic && hasItalic(family) }
    const handle = handleOf(face)
    charsets.set(handle, charset)
    return handle
  }
  /** Copies bytes if the buffer is large enough. Always returns the number of bytes, as PDFium requires. */
  const copy = (bytes: Buffer, buffer: number, size: number) => {
    if (buffer !== 0 && size >= bytes.length) pdfium.heap().set(bytes, buffer)
    return bytes.length
  }

  // `FPDF_SYSFONTINFO`, version 1 (`fpdf_sysfontinfo.h`). PDFium uses this memory until it ends.
  const info = pdfium.allocate(36)
  pdfium.words(info, 9).set([
    1,
    pdfium.callback(() => {}, 'vi'),
    pdfium.callback((_self, mapper = 0) => {
      for (const name of STYLED_NAMES) addName(pdfium, mapper, name)
    }, 'vii'),
    pdfium.callback(
      (_self, weight = 0, italic = 0, charset = 0, pitch = 0, name = 0) =>
        find(weight, italic !== 0, charset, pitch, textAt(pdfium.heap(), name)),
      'iiiiiiii',
    ),
    pdfium.callback(() => 0, 'iii'),
    pdfium.callback(
      // Table 0 is the whole font. PDFium reads single tables only from font collections.
      (_self, handle = 0, table = 0, buffer = 0, size = 0) =>
        table === 0 ? copy(FONTS[handle - 1] ?? Buffer.alloc(0), buffer, size) : 0,
      'iiiiii',
    ),
    pdfium.callback(
      (_self, handle = 0, buffer = 0, size = 0) => copy(Buffer.from(`Fallback ${handle}\0`, 'latin1'), buffer, size),
      'iiiii',
    ),
    pdfium.callback((_self, handle = 0) => charsets.get(handle) ?? DEFAULT_CHARSET, 'iii'),
    pdfium.callback(() => {}, 'vii'),
  ])
  pdfium.api.FPDF_SetSystemFontInfo(info)
}

function addName(pdfium: Pdfium, mapper: number, name: string): void {
  const pointer = pdfium.allocate(name.length + 1)
  pdfium.heap().write(`${name}\0`, pointer, 'latin1')
  pdfium.api.FPDF_AddInstalledFont(mapper, pointer, DEFAULT_CHARSET)
  pdfium.free(pointer)
}

const textAt = (heap: Buffer, start: number) =>
  start === 0 ? '' : heap.toString('latin1', start, heap.indexOf(0, start))
