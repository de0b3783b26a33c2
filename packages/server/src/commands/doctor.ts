import { bad, good, print, quiet, strong } from '@mediamill/cli/src/terminal/output'
import type { Command } from 'commander'
import type { Finding } from './doctor/finding.ts'

const JSON_FLAG = ['--json', 'print JSON'] as const

export function register(program: Command): void {
  program
    .command('doctor')
    .description('Check that this machine can run the service, and suggest fixes.')
    .option(...JSON_FLAG, false)
    .addHelpText(
      'after',
      `
It reads the settings of mediamill serve and changes nothing. The exit code is 1 if an error prevents the service
from working, and 0 if there are only warnings.`,
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
