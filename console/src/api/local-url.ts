import { servicePath } from '../app/page-settings.ts'

/** Converts a result's or sample's URL to a path, because the content policy blocks other origins. Keeps other URLs. */
export function localUrl(url: string): string {
  const found = /^https?:\/\/[^/]+(\/.*)$/.exec(url)?.[1]
  const own = found?.match(/\/(?:v1\/results|docs\/samples)\/.*/)?.[0]
  return own === undefined ? url : servicePath.replace(/\/$/, '') + own
}
