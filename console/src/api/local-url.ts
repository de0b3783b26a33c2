import { servicePath } from '../app/page-settings.ts'

/** The same address on the origin of this page, where `url` is one of this service: the policy loads no other. */
export function localUrl(url: string): string {
  const found = /^https?:\/\/[^/]+(\/.*)$/.exec(url)?.[1]
  const own = found?.match(/\/(?:v1\/results|docs\/samples)\/.*/)?.[0]
  return own === undefined ? url : servicePath.replace(/\/$/, '') + own
}
