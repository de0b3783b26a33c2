import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '@mediamill/contract/domain/errors'
import { MAX_TEMPLATE_VERSIONS } from '@mediamill/contract/domain/limits'
import { parseReference, TEMPLATE, TEMPLATE_NAME } from '@mediamill/contract/endpoints/template-fields'
import { validationFailed } from '@mediamill/contract/endpoints/validation'
import { lockAccount } from '../db/accounts/accounts.ts'
import type { Sql } from '../db/connection/connect.ts'
import { transact } from '../db/connection/transaction.ts'
import type { NewTemplateRow, TemplateRow } from '../db/templates.ts'
import { countTemplates, deleteTemplate, findTemplate, insertTemplate } from '../db/templates.ts'

/** Stores a template, unless it equals its newest version. Throws `validation_failed` for too many versions. */
export async function saveTemplate(
  sql: Sql,
  accountId: number,
  template: NewTemplateRow,
): Promise<{ row: TemplateRow; isNew: boolean }> {
  return await transact(sql, async (tx) => {
    await lockAccount(tx, accountId)
    const newest = await findTemplate(tx, accountId, { name: template.name, version: null })
    if (newest !== undefined && isSame(newest, template)) return { row: newest, isNew: false }
    if ((await countTemplates(tx, accountId)) >= MAX_TEMPLATE_VERSIONS) throw tooManyTemplates()
    return { row: await insertTemplate(tx, accountId, template), isNew: true }
  })
}

const isSame = (a: NewTemplateRow, b: NewTemplateRow) =>
  a.endpoint === b.endpoint && isDeepStrictEqual(a.fields, b.fields) && isDeepStrictEqual(a.variables, b.variables)

/** Returns a template version: `product@3` is version 3, and `product` the newest. Throws `template_not_found`. */
export async function templateOf(sql: Sql, accountId: number, reference: string): Promise<TemplateRow> {
  const row = await findByReference(sql, accountId, reference)
  if (row === undefined) throw templateNotFound(reference)
  return row
}

export function templateNotFound(reference: string): ApiError {
  const message = `template: There is no template ${reference} in this account. GET /v1/templates lists its templates.`
  return new ApiError('template_not_found', message, { param: TEMPLATE })
}

export async function templateAt(sql: Sql, accountId: number, reference: string): Promise<TemplateRow> {
  const row = await findByReference(sql, accountId, reference)
  if (row === undefined) throw noSuchTemplate()
  return row
}

async function findByReference(sql: Sql, accountId: number, reference: string): Promise<TemplateRow | undefined> {
  const wanted = parseReference(reference)
  return wanted === undefined ? undefined : await findTemplate(sql, accountId, wanted)
}

export async function removeTemplate(sql: Sql, accountId: number, name: string): Promise<void> {
  if (!TEMPLATE_NAME.test(name) || !(await deleteTemplate(sql, accountId, name))) throw noSuchTemplate()
}

const noSuchTemplate = () =>
  new ApiError('not_found', 'There is no such template in this account. GET /v1/templates lists its templates.')

function tooManyTemplates(): ApiError {
  const message = `An account can have at most ${MAX_TEMPLATE_VERSIONS} versions of templates. Delete a template that is no longer used.`
  return validationFailed([{ param: 'name', code: 'out_of_range', message }])
}
