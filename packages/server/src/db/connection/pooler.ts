import { parameterOf, withParameter } from './address.ts'

/** The query parameter that marks the database URL of a connection pooler. Other programs also use this parameter. */
const POOLER = 'pgbouncer'

export const throughPooler = (databaseUrl: string): string => withParameter(databaseUrl, POOLER, 'true')

export const isPooled = (databaseUrl: string): boolean => parameterOf(databaseUrl, POOLER) === 'true'

/** Removes the query parameter `pgbouncer`, which PostgreSQL would reject. */
export const withoutMark = (databaseUrl: string): string => withParameter(databaseUrl, POOLER, undefined)
