import type { Variables } from '@mediamill/contract/endpoints/template'
import type { Runner } from './connection/connect.ts'
import { json } from './connection/json.ts'

export type TemplateRow = {
  name: string
  version: number
  endpoint: string
  fields: Record<string, unknown>
  variables: Variables
  createdAt: Date
}

export type NewTemplateRow = Omit<TemplateRow, 'version' | 'createdAt'>

const columns = (sql: Runner) => sql`name, version, endpoint, fields, variables, created_at as "createdAt"`

export async function insertTemplate(sql: Runner, accountId: number, row: NewTemplateRow): Promise<TemplateRow> {
  const [inserted] = await sql<TemplateRow[]>`
    insert into templates (account_id, name, version, endpoint, fields, variables)
    select ${accountId}, ${row.name}, coalesce(max(version), 0) + 1, ${row.endpoint}, ${json(row.fields)}, ${json(row.variables)}
    from templates where account_id = ${accountId} and name = ${row.name}
    returning ${columns(sql)}`
  if (inserted === undefined) throw new RangeError('a template was not inserted')
  return inserted
}

export async function findTemplate(
  sql: Runner,
  accountId: number,
  { name, version }: { name: string; version: number | null },
): Promise<TemplateRow | undefined> {
  const [row] = await sql<TemplateRow[]>`
    select ${columns(sql)} from templates
    where account_id = ${accountId} and name = ${name} and (${version}::integer is null or version = ${version}::integer)
    order by version desc limit 1`
  return row
}

export async function listTemplates(
  sql: Runner,
  accountId: number,
  page: { after: string; limit: number },
): Promise<TemplateRow[]> {
  return await sql<TemplateRow[]>`
    select distinct on (name) ${columns(sql)} from templates
    where account_id = ${accountId} and name > ${page.after} collate "C"
    order by name, version desc limit ${page.limit}`
}

export async function countTemplates(sql: Runner, accountId: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from templates where account_id = ${accountId}`
  return row?.count ?? 0
}

export async function deleteTemplate(sql: Runner, accountId: number, name: string): Promise<boolean> {
  const rows = await sql`delete from templates where account_id = ${accountId} and name = ${name} returning version`
  return rows.length > 0
}
