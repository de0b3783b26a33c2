import type { PdfDictionary, PdfText } from './syntax.ts'
import { readDictionary, readReference, referencesIn } from './syntax.ts'

export type PdfObjects = {
  trailer: PdfDictionary
  /** Returns the value of an object, without the data of a stream. Returns `undefined` if there is no such object. */
  text: (number: number) => PdfText | undefined
}

// After this many references in a chain, assume a cycle.
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

/** Returns the objects that the trailer refers to, directly or through other objects. Calls `visit` with each value. */
export function reachable(objects: PdfObjects, visit?: (text: PdfText) => void): Set<number> {
  const found = new Set<number>()
  // Contains missing and damaged objects too, so that each object is read only once: reading a damaged object can take
  // as long as reading the rest of the file.
  const seen = new Set<number>()
  const waiting = [...objects.trailer.values()].flatMap(referencesIn)
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (seen.has(number)) continue
    seen.add(number)
    const text = objects.text(number)
    if (text === undefined) continue
    found.add(number)
    visit?.(text)
    for (const reference of referencesIn(text)) if (!seen.has(reference)) waiting.push(reference)
  }
  return found
}
