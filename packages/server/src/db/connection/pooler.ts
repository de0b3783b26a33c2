import { parameterOf, withParameter } from './address.ts'

/** The query parameter that marks the address of a pooler, as in other programs. */
const POOLER = 'pgbouncer'

export const throughPooler = (databaseUrl: string): string => withParameter(databaseUrl, POOLER, 'true')

export const isPooled = (databaseUrl: string): boolean => parameterOf(databaseUrl, POOLER) === 'true'

/** Removes the mark, which PostgreSQL would reject. */
export const withoutMark = (databaseUrl: string): string => withParameter(databaseUrl, POOLER, undefined)
