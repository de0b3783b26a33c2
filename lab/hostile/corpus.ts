import { damagedImages } from './damaged-images.ts'
import { disguises } from './disguises.ts'
import type { HostileFile } from './hostile-file.ts'
import { imageBombs } from './image-bombs.ts'
import { pdfTraps } from './pdf-traps.ts'
import { tiffTraps } from './tiff-traps.ts'
import { videoTraps } from './video-traps.ts'

/** Generates every hostile file, because the repository must not contain hostile files. */
export async function hostileFiles(): Promise<HostileFile[]> {
  return [
    ...(await imageBombs()),
    ...tiffTraps(),
    ...(await damagedImages()),
    ...(await disguises()),
    ...videoTraps(),
    ...pdfTraps(),
  ]
}
