import type { Runner } from '@mediamill/server/db/connection/connect'
import type { Send, Value } from '@mediamill/server/db/connection/statement'
import { Fragment, Statement } from '@mediamill/server/db/connection/statement'

type Buffers = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
type Explained = { 'QUERY PLAN': [{ Plan: Buffers }] }

/** Counts the database pages that `work` reads. In `work`, all results are empty: EXPLAIN returns only plans. */
export async function countPagesRead(sql: Runner, work: (runner: Runner) => Promise<unknown>): Promise<number> {
  let pages = 0
  const send: Send = async (statement) => {
    const [row] = await sql<Explained[]>`explain (analyze, buffers, format json) ${statement}`
    const plan = row?.['QUERY PLAN'][0].Plan
    pages += (plan?.['Shared Hit Blocks'] ?? Number.NaN) + (plan?.['Shared Read Blocks'] ?? Number.NaN)
    return Object.assign([], { count: 0 }) as never
  }
  const make = (strings: TemplateStringsArray | string, ...values: readonly (Value | Fragment)[]) =>
    typeof strings === 'string' ? sql(strings) : new Statement(send, strings, values)
  // A Runner has two overloads: `sql` for a statement, and `sql(name)` for an identifier.
  await work(Object.assign(make, { unsafe: (text: string) => new Fragment([text]) }) as Runner)
  return pages
}
