/** Writes test/guarantees.md anew from the titles of the tests: `node scripts/write-guarantees.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeGuarantees } from '../test/support/guarantees.ts'
import { readTitles } from '../test/support/titles.ts'

const root = join(import.meta.dirname, '..')
writeFileSync(join(root, 'test/guarantees.md'), writeGuarantees(readTitles(root)))
