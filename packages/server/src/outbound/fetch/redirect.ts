/**
 * Returns a redirect's target for `checkUrl`, or `undefined` if a URL parser would repair it silently. An absolute URL
 * stays as it is, for the check. Header bytes over 127 are decoded as UTF-8, as in browsers.
 */
export function followedUrl(location: string, base: string): string | undefined {
  const text = Buffer.from(location, 'latin1').toString('utf8')
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  if (text.startsWith('//')) return `${new URL(base).protocol}${text}`
  // security check: whitespace and backslashes in a redirect
  if (/[\s\\]/.test(text)) return undefined
  return URL.parse(text, base)?.href
}
