import { servicePath } from '../app/page-settings.ts'

/** Returns the path of a result or a sample on this page's origin, because the content policy blocks other origins. */
export function localUrl(url: string): string {
  const found = /^https?:\/\/[^/]+(\/.*)$/.exec(url)?.[1]
  const own = found?.match(/\/(?:v1\/results|docs\/samples)\/.*/)?.[0]
  return own === undefined ? url : servicePath.replace(/\/$/, '') + own
}
