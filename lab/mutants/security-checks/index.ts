import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceFile } from '../../support/violation.ts'
import { OUTBOUND } from './outbound.ts'
import type { SecurityCheck } from './remove-check.ts'
import { SANDBOX } from './sandbox.ts'
import { SIGNATURES } from './signatures.ts'

export const SECURITY_CHECKS: readonly SecurityCheck[] = [...OUTBOUND, ...SANDBOX, ...SIGNATURES]

export function readSources(root: string): SourceFile[] {
  return globSync('packages/*/src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(root, path), 'utf8') }))
}
