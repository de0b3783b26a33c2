import { spawnSync } from 'node:child_process'
import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib'

export const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN

export function toolMs(command: string, ...args: string[]): number {
  const timed = `TIMEFORMAT='%U %S'; time ${command} "$@" >/dev/null 2>&1`
  const { stderr } = spawnSync('bash', ['-c', timed, 'bash', ...args], { encoding: 'utf8' })
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(/\s+/).map(Number)
  return (user + system) * 1000
}

export async function drawBook(): Promise<Uint8Array> {
  const book = await PDFDocument.create()
  const font = await book.embedFont(StandardFonts.TimesRoman)
  for (let number = 1; number <= 200; number += 1) {
    const page = book.addPage([612, 792])
    for (let line = 0; line < 48; line += 1) {
      const text = `Page ${number}, line ${line}: ${'the quick brown fox jumps over the lazy dog '.repeat(2)}`
      page.drawText(text, { x: 50, y: 740 - line * 14, size: 11, font })
    }
  }
  return await book.save({ useObjectStreams: false })
}
