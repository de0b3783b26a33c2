import type { FontPackage } from '../../fonts/font-packages.ts'
import { FONT_PACKAGES, readFont } from '../../fonts/font-packages.ts'
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

export function readFace(face: Face): Buffer | undefined {
  const [first, ...others] = PACKAGES[face.family]
  const font = readFont(first, face)
  if (font === undefined || others.length === 0) return font
  return composeFont(
    font,
    others.flatMap((other) => readFont(other, face) ?? []),
  )
}
