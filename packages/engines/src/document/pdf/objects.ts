import type { PdfDictionary, PdfText } from './syntax.ts'
import { readDictionary, readReference } from './syntax.ts'

export type PdfObjects = {
  trailer: PdfDictionary
  /** Returns the object's value without stream data, or `undefined` if the object is missing. */
  text: (number: number) => PdfText | undefined
}

// A longer chain of references is treated as a cycle.
const MAX_STEPS = 16

export function resolve(objects: PdfObjects, value: PdfText | undefined): PdfText | undefined {
  let current = value
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const number = readReference(current)
    if (number === undefined) return current
    current = objects.text(number)
  }
  return undefined
}

export const dictionaryAt = (objects: PdfObjects, value: PdfText | undefined): PdfDictionary | undefined =>
  readDictionary(resolve(objects, value))
