import { readFileSync } from 'node:fs'
import type { FontPackage } from '../../fonts/font-packages.ts'
import { FONT_PACKAGES, fontPath, isNotInstalled } from '../../fonts/font-packages.ts'
import { composeFont } from './compose.ts'
import type { Family } from './families.ts'

export type Face = { family: Family; bold: boolean; italic: boolean }

const { arimo, tinos, cousine, courier, arabic, japanese, korean, simplified, traditional } = FONT_PACKAGES

/** The main font of each family, then fonts for missing glyphs. The widths match Arial, Times, and Courier. */
const PACKAGES: Readonly<Record<Family, readonly [FontPackage, ...FontPackage[]]>> = {
  sans: [arimo, arabic],
  serif: [tinos, arabic],
  fixed: [cousine, arabic],
  courier: [courier, cousine, arabic],
  JP: [japanese],
  KR: [korean],
  SC: [simplified],
  TC: [traditional],
}

export const hasItalic = (family: Family): boolean => PACKAGES[family].length > 1

/** Returns the font of a face, or `undefined` if the operator has not installed its package. */
export function readFont(face: Face): Buffer | undefined {
  const [first, ...others] = PACKAGES[face.family]
  const font = readIfExists(first, face)
  if (font === undefined || others.length === 0) return font
  return composeFont(
    font,
    others.flatMap((other) => readIfExists(other, face) ?? []),
  )
}

function readIfExists(font: FontPackage, face: Face): Buffer | undefined {
  try {
    return readFileSync(fontPath(font, face))
  } catch (error) {
    if (isNotInstalled(error)) return undefined
    throw error
  }
}
