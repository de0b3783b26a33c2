import type { PdfDictionary, PdfText } from './syntax.ts'
import { readDictionary, readReference } from './syntax.ts'

/** The objects of a file, read one by one as they are asked for. */
export type PdfObjects = {
  trailer: PdfDictionary
  /** The object's value, without a stream's data; `undefined` when there is no such object. */
  text: (number: number) => PdfText | undefined
}

// A chain of references is legal for a few steps; longer ones are circles.
const MAX_STEPS = 16

/** Follows the references of a value. */
export function resolve(objects: PdfObjects, value: PdfText | undefined): PdfText | undefined {
  let current = value
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const number = readReference(current)
    if (number === undefined) return current
    current = objects.text(number)
  }
  return undefined
}

/** The dictionary that a value is or refers to. */
export const dictionaryAt = (objects: PdfObjects, value: PdfText | undefined): PdfDictionary | undefined =>
  readDictionary(resolve(objects, value))
