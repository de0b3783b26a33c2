/** What says in a database's address that a pooler stands before it; other programs read the same word there. */
const POOLER = 'pgbouncer'

/** The address, marked as one that leads through a pooler. */
export function throughPooler(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set(POOLER, 'true')
  return url.href
}

/** Tells whether the address says that a pooler stands before the database. */
export function isPooled(databaseUrl: string): boolean {
  return new URL(databaseUrl).searchParams.get(POOLER) === 'true'
}

/** Takes the mark out of an address: what PostgreSQL is told must not have it. */
export function takeMark(url: URL): boolean {
  const pooled = url.searchParams.get(POOLER) === 'true'
  url.searchParams.delete(POOLER)
  return pooled
}
