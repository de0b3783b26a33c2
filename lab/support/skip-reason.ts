import { spawnSync } from 'node:child_process'

/** Returns the reason to skip a test. With `REQUIRE_SERVERS=1`, as in CI, throws instead. */
export function skipReason(reason: string): string {
  if (process.env['REQUIRE_SERVERS'] === '1') throw new Error(`${reason} (REQUIRE_SERVERS=1)`)
  return reason
}

/** Returns a reason to skip the tests of a program that is not installed. */
export function whyNo(program: 'haproxy' | 'pgbouncer' | 'prometheus'): string | undefined {
  return spawnSync(program, ['-v']).error === undefined
    ? undefined
    : skipReason(`${program} is not installed: scripts/install-test-servers.sh`)
}
