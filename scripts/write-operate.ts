/** Writes the tables of settings and metrics in docs/operate: `node_modules/.bin/node scripts/write-operate.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOperateTables } from '@mediamill/lab/support/operate-tables'

const root = join(import.meta.dirname, '..')
for (const name of ['configuration', 'monitoring']) {
  const page = join(root, `docs/operate/${name}.md`)
  writeFileSync(page, withOperateTables(readFileSync(page, 'utf8'), root))
}
