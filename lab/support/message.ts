/** Matches a message of one line that contains all parts in this order: field, value, limit, fix. */
export function naming(...parts: readonly string[]): RegExp {
  return new RegExp(parts.map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('.*'))
}
