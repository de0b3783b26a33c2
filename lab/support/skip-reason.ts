/** Returns the reason to skip a test. With `REQUIRE_SERVERS=1`, as in CI, throws instead. */
export function skipReason(reason: string): string {
  if (process.env['REQUIRE_SERVERS'] === '1') throw new Error(`${reason} (REQUIRE_SERVERS=1)`)
  return reason
}
