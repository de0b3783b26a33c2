import type { PdfDictionary, PdfText } from './syntax.ts'
import { readDictionary, readReference, referencesIn } from './syntax.ts'

export type PdfObjects = {
  trailer: PdfDictionary
  text: (number: number) => PdfText | undefined
}

// After this many references in a chain, assume a cycle.
export const MAX_STEPS = 16

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

export function reachable(objects: PdfObjects, visit?: (text: PdfText) => void): Set<number> {
  const found = new Set<number>()
  // Includes missing and damaged objects, so that each is read only once: a damaged object can be as long as the file.
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
