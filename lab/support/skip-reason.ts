/** Returns `reason`, for a test that is skipped without a program. Throws if `REQUIRE_SERVERS=1`, as in CI, forbids it. */
export function skipReason(reason: string): string {
  if (process.env['REQUIRE_SERVERS'] === '1') throw new Error(`${reason} (REQUIRE_SERVERS=1)`)
  return reason
}
