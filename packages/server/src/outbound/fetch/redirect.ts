/**
 * Returns the target of a redirect, or `undefined` if a URL parser would silently repair the target. Returns an
 * absolute URL unchanged, so that `checkUrl` checks its text. Decodes bytes above 127 as UTF-8, like browsers.
 */
export function followedUrl(location: string, base: string): string | undefined {
  const text = Buffer.from(location, 'latin1').toString('utf8')
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return text
  if (text.startsWith('//')) return `${new URL(base).protocol}${text}`
  // security check: whitespace and backslashes in a redirect
  if (/[\s\\]/.test(text)) return undefined
  return URL.parse(text, base)?.href
}
