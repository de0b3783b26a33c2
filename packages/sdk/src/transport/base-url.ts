/** Removes the query, the slashes at the end, and a final `/v1` from a base URL. Every path starts with `/v1`. */
export const trimBaseUrl = (url: string): string =>
  withoutSlashes(withoutSlashes(url.replace(/[?#].*/s, '')).replace(/\/v1$/, ''))

/** Uses no regular expression, which would take quadratic time, or a lookbehind, which older browsers lack. */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url.charAt(end - 1) === '/') end -= 1
  return url.slice(0, end)
}
