/**
 * Where a redirect from `base` leads, as text for `checkUrl`. It is `undefined` when it holds what a parser would
 * silently repair.
 *
 * A complete URL is handed on as it is, so that its own text is judged. Header bytes over 127 are read as UTF-8, as
 * browsers do.
 */
export function followedUrl(location: string, base: string): string | undefined {
  const text = Buffer.from(location, 'latin1').toString('utf8')
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  if (text.startsWith('//')) return `${new URL(base).protocol}${text}`
  // wall: blanks and backslashes in a redirect
  if (/[\s\\]/.test(text)) return undefined
  return URL.parse(text, base)?.href
}
