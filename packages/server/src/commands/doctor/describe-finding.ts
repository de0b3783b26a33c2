import { bad, good, quiet, strong } from '@mediamill/cli/src/terminal/output'
import type { Finding } from './finding.ts'

const SIGN = { good: good('✓'), warning: strong('!'), fault: bad('✗') } as const

export function describeFinding(finding: Finding): string {
  const line = `${SIGN[finding.verdict]} ${finding.part.padEnd(12)}${finding.message}`
  return finding.verdict === 'good' ? line : `${line}\n  ${' '.repeat(12)}${quiet(finding.remedy)}`
}
