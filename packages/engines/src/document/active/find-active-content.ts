import type { PdfObjects } from '../pdf/objects.ts'
import { reachable } from '../pdf/objects.ts'
import type { ActiveContent } from './clean-value.ts'
import { cleanValue, newScan } from './clean-value.ts'

export function findActiveContent(objects: PdfObjects): ActiveContent {
  const scan = newScan(objects)
  reachable(objects, (text) => cleanValue(text, scan))
  return scan.found
}
