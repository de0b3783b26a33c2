/** Writes docs/decisions/README.md anew from the pages: `node_modules/.bin/node scripts/write-decisions.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDecisionIndex } from '@mediamill/lab/support/decisions'

const root = join(import.meta.dirname, '..')
writeFileSync(join(root, 'docs/decisions/README.md'), writeDecisionIndex(root))
