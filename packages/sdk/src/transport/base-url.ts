/** Removes the query, trailing slashes, and a final `/v1` from a base URL. Paths of calls start with `/v1`. */
export const trimBaseUrl = (url: string): string =>
  withoutSlashes(withoutSlashes(url.replace(/[?#].*/s, '')).replace(/\/v1$/, ''))

/** Removes trailing slashes. A regular expression would be quadratic, or use a lookbehind, which is too new. */
function withoutSlashes(url: string): string {
  let end = url.length
  while (url.charAt(end - 1) === '/') end -= 1
  return url.slice(0, end)
}
