import { createHash } from 'node:crypto'

/** A release, with the checksum of each of its migrations. */
export type Release = { name: string; commit: string; migrations: Record<string, string> }

/** Returns the checksum of a text. Ignores line endings, which depend on the checkout. */
export const checksumOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')

/** Returns the releases with `release` added. It replaces a release of the same name. */
export function withRelease(releases: readonly Release[], release: Release): Release[] {
  return [...releases.filter(({ name }) => name !== release.name), release]
}
