import { createHash } from 'node:crypto'

/** A release, with the checksum of each of its migrations. */
export type Release = { name: string; commit: string; migrations: Record<string, string> }

/** Returns the checksum of a text. Line endings do not matter, because they depend on the checkout. */
export const checksumOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')

/** Returns the releases with `release` added. If a release has the same name, replaces it. */
export function withRelease(releases: readonly Release[], release: Release): Release[] {
  return [...releases.filter(({ name }) => name !== release.name), release]
}
