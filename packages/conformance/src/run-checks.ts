import { ACCOUNT } from './checks/account.ts'
import { BOUNDS } from './checks/bounds.ts'
import { CALLS } from './checks/calls.ts'
import { CUTOUTS } from './checks/cutouts.ts'
import { DESTINATIONS } from './checks/destinations.ts'
import { ERRORS } from './checks/errors.ts'
import { EVENTS } from './checks/events.ts'
import { IDEMPOTENCY } from './checks/idempotency.ts'
import { KEYS } from './checks/keys.ts'
import { LIMITS } from './checks/limits.ts'
import { METADATA_READING } from './checks/media-metadata.ts'
import { METADATA } from './checks/metadata.ts'
import { OPERATIONS } from './checks/operations.ts'
import { OUTPUTS } from './checks/outputs.ts'
import { PDFS } from './checks/pdfs.ts'
import { REQUESTS } from './checks/requests.ts'
import { RESOURCES } from './checks/resources.ts'
import { RESULTS } from './checks/results.ts'
import { SOURCES } from './checks/sources.ts'
import { STAMPS } from './checks/stamps.ts'
import { STREAMS } from './checks/streams.ts'
import { TEMPLATES } from './checks/templates.ts'
import { TUS_UPLOADS } from './checks/tus.ts'
import { UPLOADS } from './checks/uploads.ts'
import { WAITING } from './checks/waiting.ts'
import { WATERMARKS } from './checks/watermarks.ts'
import type { Check, Need } from './kit/check.ts'
import { NEEDS, topicOf } from './kit/check.ts'
import type { Kit } from './kit/kit.ts'

export const CHECKS: readonly Check[] = [
  ...RESOURCES,
  ...METADATA_READING,
  ...REQUESTS,
  ...CALLS,
  ...IDEMPOTENCY,
  ...RESULTS,
  ...ACCOUNT,
  ...OPERATIONS,
  ...CUTOUTS,
  ...WATERMARKS,
  ...SOURCES,
  ...WAITING,
  ...DESTINATIONS,
  ...UPLOADS,
  ...TUS_UPLOADS,
  ...STAMPS,
  ...TEMPLATES,
  ...OUTPUTS,
  ...METADATA,
  ...PDFS,
  ...KEYS,
  ...EVENTS,
  ...STREAMS,
  ...ERRORS,
  ...BOUNDS,
  ...LIMITS,
]

/** The outcome of a check. `reason` states why the check was skipped, or how the service breaks the rule. */
export type Outcome = {
  /** The topic of the first rule, and a number: `requests.abort-2`. */
  number: string
  rules: readonly string[]
  title: string
  outcome: 'kept' | 'broken' | 'skipped'
  reason?: string
  ms: number
}

type RunOptions = {
  /** The requirements that the deployment or the options do not meet. */
  missing: ReadonlySet<Need>
  /** Matches `NUMBER TITLE`, such as `requests.abort-2 An abort …`. */
  only?: RegExp
  lanes: number
  stopsEarly?: boolean
  onOutcome?: (outcome: Outcome) => void
}

/** Runs all checks. Checks that must run alone run last. Returns the outcomes in the order of `CHECKS`. */
export async function runChecks(kit: Kit, options: RunOptions): Promise<Outcome[]> {
  const outcomes = new Map<Check, Outcome>()
  const counts = new Map<string, number>()
  const numbered = CHECKS.map((check) => {
    const topic = topicOf(check.rules[0])
    const count = (counts.get(topic) ?? 0) + 1
    counts.set(topic, count)
    return { check, number: `${topic}-${count}` }
  }).filter(({ check, number }) => options.only?.test(`${number} ${check.title}`) ?? true)
  let isOver = false

  async function runCheck({ check, number }: (typeof numbered)[number]): Promise<void> {
    const startedAt = performance.now()
    const lacks = check.needs?.find((need) => options.missing.has(need))
    const reason = lacks === undefined ? await brokenBy(check, kit) : NEEDS[lacks]
    const outcome = {
      number,
      rules: check.rules,
      title: check.title,
      outcome:
        lacks !== undefined ? ('skipped' as const) : reason === undefined ? ('kept' as const) : ('broken' as const),
      ...(reason !== undefined && { reason }),
      ms: Math.round(performance.now() - startedAt),
    }
    outcomes.set(check, outcome)
    options.onOutcome?.(outcome)
    isOver ||= options.stopsEarly === true && outcome.outcome === 'broken'
  }

  for (const [isAlone, lanes] of [
    [false, options.lanes],
    [true, 1],
  ] as const) {
    const waiting = numbered.filter(({ check }) => (check.alone === true) === isAlone)
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let next = waiting.shift(); next !== undefined && !isOver; next = waiting.shift()) await runCheck(next)
      }),
    )
  }
  return numbered.flatMap(({ check }) => outcomes.get(check) ?? [])
}

async function brokenBy(check: Check, kit: Kit): Promise<string | undefined> {
  try {
    await check.run(kit)
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    return `${error.message}${cause}`
  }
}
