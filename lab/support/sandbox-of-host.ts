import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Isolation, IsolationOptions } from '@mediamill/server/supervisor/isolation/isolation'
import { chooseIsolation, IsolationError } from '@mediamill/server/supervisor/isolation/isolation'
import type { Candidate } from '@mediamill/server/supervisor/isolation/sandbox-levels'
import pino from 'pino'

const log = pino({ level: 'silent' })

/** A command prefix that runs a program as in a plain container: without root, capabilities, or new namespaces. */
export const IN_PLAIN_CONTAINER: readonly string[] = [
  ...'unshare --user --map-user=1000 --keep-caps sh -c'.split(' '),
  'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"',
  ...'sh setpriv --no-new-privs --inh-caps=-all --ambient-caps=-all --bounding-set=-all'.split(' '),
]

/** Returns the sandbox if this host supports it, otherwise the reason why not. */
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

export function standing(t: TestContext, { tier }: Candidate, found: Isolation | string): Isolation | undefined {
  if (typeof found !== 'string') return found
  // Every host can start a plain process, so a failure is a bug.
  if (tier === 'process') assert.fail(found)
  assert.doesNotMatch(found, /a test program reached|no seccomp filter/)
  // Some hosts, such as containers, forbid this sandbox.
  t.skip(`this host does not allow it: ${found}`)
  return undefined
}
