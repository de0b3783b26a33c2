import { servicePath } from '../app/page-settings.ts'

/**
 * Returns the path on this page's origin for the URL of a result or a sample, because the content policy blocks other
 * origins. Returns any other URL unchanged.
 */
export function localUrl(url: string): string {
  const found = /^https?:\/\/[^/]+(\/.*)$/.exec(url)?.[1]
  const own = found?.match(/\/(?:v1\/results|docs\/samples)\/.*/)?.[0]
  return own === undefined ? url : servicePath.replace(/\/$/, '') + own
}
