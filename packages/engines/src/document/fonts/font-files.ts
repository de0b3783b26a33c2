import { readFileSync } from 'node:fs'
import type { FontPackage } from '../../fonts/font-packages.ts'
import { FONT_PACKAGES, fontPath, isNotInstalled } from '../../fonts/font-packages.ts'
import { composeFont } from './compose.ts'
import type { Family } from './families.ts'

/** A family in one of its styles. */
export type Face = { family: Family; bold: boolean; italic: boolean }

const { arimo, tinos, cousine, courier, arabic, japanese, korean, simplified, traditional } = FONT_PACKAGES

/**
 * What draws each family: the first font, and what it lacks in the ones behind it.
 *
 * Letters are as wide as those of Arial, Times New Roman, Courier New and Courier, so lines end where they did.
 */
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

function readIfThere(font: FontPackage, face: Face): Buffer | undefined {
  try {
    return readFileSync(fontPath(font, face))
  } catch (error) {
    if (isNotInstalled(error)) return undefined
    throw error
  }
}
