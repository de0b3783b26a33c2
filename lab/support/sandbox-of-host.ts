import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Isolation, IsolationOptions } from '@mediamill/server/supervisor/isolation/isolation'
import { chooseIsolation, IsolationError } from '@mediamill/server/supervisor/isolation/isolation'
import type { Candidate } from '@mediamill/server/supervisor/isolation/tiers'
import pino from 'pino'

const log = pino({ level: 'silent' })

/** Runs a program as in a plain container: not as root, without capabilities and user namespaces. */
export const IN_PLAIN_CONTAINER: readonly string[] = [
  ...'unshare --user --map-user=1000 --keep-caps sh -c'.split(' '),
  'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"',
  ...'sh setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all'.split(' '),
]

/** Returns the sandbox for a candidate, or the reason why this host does not support it. */
export async function trySandbox(
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

/** Returns the sandbox of `trySandbox`, or skips the test. Fails if the sandbox has a gap or no process starts. */
export function standing(t: TestContext, { tier }: Candidate, found: Isolation | string): Isolation | undefined {
  if (typeof found !== 'string') return found
  // A host cannot forbid a plain process, so a failure is a bug.
  if (tier === 'process') assert.fail(found)
  assert.doesNotMatch(found, /a test program reached|no seccomp filter/)
  // The host may forbid this sandbox, as some containers do.
  t.skip(`this host does not allow it: ${found}`)
  return undefined
}
