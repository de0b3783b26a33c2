/**
 * Returns the address that paths are appended to, from the address that people write.
 *
 * It has no query, no slash at its end, and no `/v1` at its end, because every path has its own.
 */
export const trimBaseUrl = (url: string): string =>
  withoutSlashes(withoutSlashes(url.replace(/[?#].*/s, '')).replace(/\/v1$/, ''))

/** A loop, because an expression for slashes at the end takes quadratic time, or a lookbehind that older browsers lack. */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url.charAt(end - 1) === '/') end -= 1
  return url.slice(0, end)
}
