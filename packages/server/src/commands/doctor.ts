import { bad, good, print, quiet, strong } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import type { Finding } from './doctor/finding.ts'

const JSON_FLAG = ['--json', 'print JSON, for programs'] as const

export function register(program: Command): void {
  program
    .command('doctor')
    .description('Look at what this machine offers the service, and say what to do about what is missing.')
    .option(...JSON_FLAG, false)
    .addHelpText(
      'after',
      `
It reads the same settings as mediamill serve, and changes nothing. It ends with 1 when something keeps the service
from working; warnings alone end with 0.`,
    )
    .action(async ({ json }: { json: boolean }) => {
      const { examine } = await import('./doctor/examine.ts')
      const findings = await examine()
      print(json, { findings }, () => findings.map(describe).join('\n'))
      if (findings.some(({ verdict }) => verdict === 'fault')) process.exitCode = 1
    })
}

const SIGN = { good: good('✓'), warning: strong('!'), fault: bad('✗') } as const

function describe(finding: Finding): string {
  const line = `${SIGN[finding.verdict]} ${finding.part.padEnd(12)}${finding.says}`
  return finding.verdict === 'good' ? line : `${line}\n  ${' '.repeat(12)}${quiet(finding.remedy)}`
}
