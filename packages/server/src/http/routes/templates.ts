import { endpointNamed } from '@mediamill/contract/endpoints/index'
import { checkTemplate, referenceOf } from '@mediamill/contract/endpoints/template'
import { parseReference } from '@mediamill/contract/endpoints/template-fields'
import { parseBody } from '@mediamill/contract/endpoints/validation'
import type { TemplateShape } from '@mediamill/contract/objects/template'
import { newTemplate } from '@mediamill/contract/objects/template'
import * as routes from '@mediamill/contract/routes/templates'
import type { FastifyInstance } from 'fastify'
import { removeTemplate, saveTemplate, templateAt } from '../../accounts/templates.ts'
import type { TemplateRow } from '../../db/templates.ts'
import { listTemplates } from '../../db/templates.ts'
import type { ApiContext } from '../api-context.ts'
import { listPage } from '../list-page.ts'
import { serveRoute } from '../serve-route.ts'

export function serveTemplates(app: FastifyInstance, api: Pick<ApiContext, 'sql'>): void {
  serveRoute(app, routes.createTemplate, async (call, reply) => {
    const body = parseBody({ name: 'templates', schema: newTemplate }, call.body)
    const { name, endpoint, variables = {}, ...fields } = body
    const template = { name, endpoint, fields, variables }
    checkTemplate(endpointNamed(endpoint), template)
    const { row, isNew } = await saveTemplate(api.sql, call.caller.account.id, template)
    reply.code(isNew ? 201 : 200)
    return presentTemplate(row)
  })

  serveRoute(app, routes.listTemplates, async ({ caller, query }) => {
    const after = parseReference(query.after ?? '')?.name ?? ''
    const read = (limit: number) => listTemplates(api.sql, caller.account.id, { after, limit })
    return { object: 'list' as const, ...(await listPage(query.limit, read, presentTemplate)) }
  })

  serveRoute(app, routes.getTemplate, async ({ caller, params }) =>
    presentTemplate(await templateAt(api.sql, caller.account.id, params['name'] ?? '')),
  )

  serveRoute(app, routes.deleteTemplate, async ({ caller, params }) => {
    const name = params['name'] ?? ''
    await removeTemplate(api.sql, caller.account.id, name)
    return { name, object: 'template' as const, deleted: true as const }
  })
}

function presentTemplate({ fields, createdAt, ...row }: TemplateRow): TemplateShape {
  const { name, version, endpoint, variables } = row
  const times = { created_at: createdAt.toISOString() }
  const shown = { id: referenceOf(row), object: 'template', name, version, endpoint, ...fields, variables, ...times }
  // A newer server version may have stored this template, with fields that this version does not have.
  return shown as TemplateShape
}
