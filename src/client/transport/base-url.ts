/**
 * The address that paths go below, of what people write for it.
 *
 * Without query, slashes at its end, and one `/v1`: every path has its own. A query would end up in the middle of paths.
 */
export const trimBaseUrl = (url: string): string =>
  url
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\/v1$/, '')
    .replace(/\/+$/, '')
