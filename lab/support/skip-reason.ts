/** Returns `reason`, or throws if `REQUIRE_SERVERS=1` forbids skipping, as in CI. */
export function skipReason(reason: string): string {
  if (process.env['REQUIRE_SERVERS'] === '1') throw new Error(`${reason} (REQUIRE_SERVERS=1)`)
  return reason
}
