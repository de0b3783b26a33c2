import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Isolation, IsolationOptions } from '@mediamill/server/supervisor/isolation/isolation'
import { chooseIsolation, IsolationError } from '@mediamill/server/supervisor/isolation/isolation'
import type { Candidate } from '@mediamill/server/supervisor/isolation/tiers'
import pino from 'pino'

const log = pino({ level: 'silent' })

/** The walls of one candidate alone, or the reason why they do not stand on this host. */
export async function tryWalls(
  candidate: Candidate,
  parts: Pick<IsolationOptions, 'scratch' | 'entries'>,
): Promise<Isolation | string> {
  try {
    return await chooseIsolation({ ...parts, setting: 'auto', log, candidates: [candidate] })
  } catch (error) {
    if (error instanceof IsolationError) return error.message
    throw error
  }
}

/**
 * The walls that `tryWalls` found; `undefined`, and the test is skipped, where the host forbids them.
 *
 * The test fails where the walls are there with a hole in them, and where a plain process cannot start.
 */
export function standing(t: TestContext, { tier }: Candidate, found: Isolation | string): Isolation | undefined {
  if (typeof found !== 'string') return found
  // A plain process needs nothing that a host could forbid.
  if (tier === 'process') assert.fail(found)
  assert.doesNotMatch(found, /a canary reached|no seccomp filter/)
  // Walls that a host forbids, as containers do, cannot be tested on it.
  t.skip(`this host does not allow it: ${found}`)
  return undefined
}
