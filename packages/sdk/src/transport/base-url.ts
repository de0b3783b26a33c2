/**
 * Returns the base URL that paths are appended to, from the URL that a user enters.
 *
 * Removes the query, slashes at the end, and `/v1` at the end, because every path starts with `/v1`.
 */
export const trimBaseUrl = (url: string): string =>
  withoutSlashes(withoutSlashes(url.replace(/[?#].*/s, '')).replace(/\/v1$/, ''))

/**
 * Removes slashes at the end. Uses a loop: a regular expression would need quadratic time, or a lookbehind that older
 * browsers do not support.
 */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url.charAt(end - 1) === '/') end -= 1
  return url.slice(0, end)
}
