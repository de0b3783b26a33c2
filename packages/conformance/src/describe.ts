import { bad, good, quiet, strong } from '@mediamill/cli/src/terminal/output'
import type { Conformance } from './conform.ts'
import type { Outcome } from './run-checks.ts'
import { UNCHECKED_RULES } from './unchecked-rules.ts'

const MARKS = { kept: good('passed '), broken: bad('FAILED '), skipped: quiet('skipped') } as const

export function describeOutcome({ number, title, outcome, reason }: Outcome): string {
  const line = `${MARKS[outcome]}  ${number.padEnd(24)}${title}`
  return reason === undefined ? line : `${line}\n${' '.repeat(33)}${outcome === 'broken' ? bad(reason) : quiet(reason)}`
}

const count = (outcomes: readonly Outcome[], what: Outcome['outcome']) =>
  outcomes.filter(({ outcome }) => outcome === what).length

export function describeConformance({ outcomes, calls, ms, spentMicroUsd }: Conformance): string {
  const [kept, broken, skipped] = [count(outcomes, 'kept'), count(outcomes, 'broken'), count(outcomes, 'skipped')]
  const sum = `${kept} passed, ${broken} failed, ${skipped} skipped, in ${calls} calls, ${Math.round(ms / 1000)} s and for $${(spentMicroUsd / 1e6).toFixed(2)}.`
  return `\n${strong(sum)} ${UNCHECKED_RULES.length} rules of the API reference have no check: --unseen lists them.`
}

export function presentConformance(baseUrl: string, { outcomes, calls, ms, spentMicroUsd }: Conformance): object {
  return {
    object: 'conformance',
    base_url: baseUrl,
    conforms: count(outcomes, 'broken') === 0,
    kept: count(outcomes, 'kept'),
    broken: count(outcomes, 'broken'),
    skipped: count(outcomes, 'skipped'),
    calls,
    ms,
    spent_micro_usd: spentMicroUsd,
    checks: outcomes,
    unseen: UNCHECKED_RULES,
  }
}
