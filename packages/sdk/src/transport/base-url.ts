/** Returns the base URL without query, slashes, and `/v1` at the end, because every path starts with `/v1`. */
export const trimBaseUrl = (url: string): string =>
  withoutSlashes(withoutSlashes(url.replace(/[?#].*/s, '')).replace(/\/v1$/, ''))

/** A loop: a regular expression would need quadratic time, or a lookbehind that older browsers lack. */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url.charAt(end - 1) === '/') end -= 1
  return url.slice(0, end)
}
