import { createHash } from 'node:crypto'

/** A release of this project, by what made its databases: its migrations and what each of them said. */
export type Release = { name: string; commit: string; migrations: Record<string, string> }

/** Line ends are those of the checkout, and say nothing. */
export const checksumOf = (text: string): string =>
  createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')

/** The releases with one more; a name that was there is written anew. */
export function withRelease(releases: readonly Release[], release: Release): Release[] {
  return [...releases.filter(({ name }) => name !== release.name), release]
}
