import { parameterOf, withParameter } from './address.ts'

/** What says in a database's address that a pooler stands before it; other programs read the same word there. */
const POOLER = 'pgbouncer'

/** The address, marked as one that leads through a pooler. */
export const throughPooler = (databaseUrl: string): string => withParameter(databaseUrl, POOLER, 'true')

/** Tells whether the address says that a pooler stands before the database. */
export const isPooled = (databaseUrl: string): boolean => parameterOf(databaseUrl, POOLER) === 'true'

/** Takes the mark out of an address: what PostgreSQL is told must not have it. */
export const withoutMark = (databaseUrl: string): string => withParameter(databaseUrl, POOLER, undefined)
