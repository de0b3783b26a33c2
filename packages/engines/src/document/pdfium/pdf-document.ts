import { RequestFailure } from '@mediamill/contract/domain/errors'
import type { Pdfium } from './pdfium-instance.ts'
import { withHeader, withTrailer } from './repair.ts'

/** Error codes (`fpdfview.h`). */
const FORMAT_ERROR = 3
const PASSWORD_ERROR = 4
const SECURITY_ERROR = 5

/** The flag `FPDF_REMOVE_SECURITY` (`fpdf_save.h`). */
const WITHOUT_SECURITY = 3

export type PdfDocument = Disposable & {
  handle: number
  claimedPages: number
  /** Whether the file is encrypted. The file needs no password, because otherwise `openDocument` throws. */
  isEncrypted: boolean
  information: (key: string) => string | null
  save: () => Buffer
}

/**
 * Opens a PDF, and repairs its header or trailer if necessary. Throws `encrypted_document` if the PDF needs a password,
 * and `processing_failed` if it is damaged.
 */
export function openDocument(pdfium: Pdfium, bytes: Buffer): PdfDocument {
  let file = bytes
  let opened = load(pdfium, file)
  for (const mend of [withHeader, withTrailer]) {
    const mended = opened === FORMAT_ERROR ? mend(file) : undefined
    if (mended === undefined) continue
    file = mended
    opened = load(pdfium, file)
  }
  if (opened === PASSWORD_ERROR || opened === SECURITY_ERROR) throw needsPassword()
  if (typeof opened === 'number') throw damagedDocument(`PDFium's error ${opened}`)
  return opened
}

function load(pdfium: Pdfium, bytes: Buffer): PdfDocument | number {
  const { api } = pdfium
  // `FPDF_FILEACCESS`: length, function, and argument. PDFium reads the file through the function.
  const access = pdfium.allocate(12)
  pdfium.files.set(access, bytes)
  pdfium.words(access, 3).set([bytes.length, pdfium.readBlock, access])
  const close = () => {
    pdfium.files.delete(access)
    pdfium.free(access)
  }
  const handle = api.FPDF_LoadCustomDocument(access, '')
  if (handle === 0) {
    const error = api.FPDF_GetLastError()
    close()
    return error
  }
  return {
    handle,
    claimedPages: api.FPDF_GetPageCount(handle),
    isEncrypted: api.FPDF_GetSecurityHandlerRevision(handle) !== -1,
    information: (key) => information(pdfium, handle, key),
    save: () => save(pdfium, handle, bytes.length),
    [Symbol.dispose]() {
      api.FPDF_CloseDocument(handle)
      close()
    },
  }
}

function save(pdfium: Pdfium, handle: number, expectedBytes: number): Buffer {
  // `FPDF_FILEWRITE`: version and function.
  const writer = pdfium.allocate(8)
  let saved = Buffer.allocUnsafe(Math.ceil(expectedBytes * 1.05) + 4096)
  let used = 0
  pdfium.writers.set(writer, (block) => {
    if (used + block.length > saved.length) {
      const larger = Buffer.allocUnsafe(Math.max(Math.ceil(saved.length * 1.5), used + block.length))
      saved.copy(larger, 0, 0, used)
      saved = larger
    }
    block.copy(saved, used)
    used += block.length
  })
  pdfium.words(writer, 2).set([1, pdfium.writeBlock])
  try {
    if (!pdfium.api.FPDF_SaveAsCopy(handle, writer, WITHOUT_SECURITY)) throw damagedDocument('it cannot be saved')
    return saved.subarray(0, used)
  } finally {
    pdfium.writers.delete(writer)
    pdfium.free(writer)
  }
}

function information(pdfium: Pdfium, handle: number, key: string): string | null {
  const size = pdfium.api.FPDF_GetMetaText(handle, key, 0, 0)
  // The text is UTF-16 with a terminating zero, so an empty text has 2 bytes.
  if (size <= 2) return null
  const pointer = pdfium.allocate(size)
  try {
    pdfium.api.FPDF_GetMetaText(handle, key, pointer, size)
    return pdfium
      .heap()
      .subarray(pointer, pointer + size - 2)
      .toString('utf16le')
  } finally {
    pdfium.free(pointer)
  }
}

const needsPassword = () =>
  new RequestFailure('encrypted_document', 'The document requires a password. Remove the password and try again.')

export const damagedDocument = (cause: unknown) =>
  new RequestFailure(
    'processing_failed',
    'The document is damaged and cannot be repaired. Check that the file opens in a viewer and was uploaded completely.',
    { cause },
  )
