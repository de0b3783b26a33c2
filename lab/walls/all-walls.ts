import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceFile } from '../support/violation.ts'
import { CALLS } from './calls.ts'
import { CONSOLE } from './console.ts'
import { DECODING } from './decoding.ts'
import { ENGINES } from './engines.ts'
import { INSIDE } from './inside.ts'
import { OUTGOING } from './outgoing.ts'
import { UPLOADED } from './uploads.ts'
import type { Wall } from './wall.ts'

/** Every security check in our own code that `npm run walls` removes. */
export const WALLS: readonly Wall[] = [
  ...OUTGOING,
  ...ENGINES,
  ...DECODING,
  ...INSIDE,
  ...CALLS,
  ...UPLOADED,
  ...CONSOLE,
]

/** Reads the files that walls can stand in. */
export function readWalled(root: string): SourceFile[] {
  return globSync(['packages/*/src/**/*.ts', 'packages/server/migrations/*.sql'], { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') }))
}
