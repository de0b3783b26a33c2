import { createHash } from 'node:crypto'

export type Release = { name: string; commit: string; migrations: Record<string, string> }

/** Returns the checksum of a migration. Ignores line endings, because they depend on the checkout. */
export const checksumOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')

export function withRelease(releases: readonly Release[], release: Release): Release[] {
  return [...releases.filter(({ name }) => name !== release.name), release]
}
