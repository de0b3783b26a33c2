import type { PdfObjects } from '../pdf/objects.ts'
import { referencesIn } from '../pdf/syntax.ts'
import type { ActiveContent } from './clean-value.ts'
import { cleanValue, newScan } from './clean-value.ts'

export function findActiveContent(objects: PdfObjects): ActiveContent {
  const scan = newScan(objects)
  const seen = new Set<number>()
  const waiting = [...objects.trailer.values()].flatMap(referencesIn)
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (seen.has(number)) continue
    seen.add(number)
    const text = objects.text(number)
    if (text === undefined) continue
    cleanValue(text, scan)
    for (const reference of referencesIn(text)) if (!seen.has(reference)) waiting.push(reference)
  }
  return scan.found
}
