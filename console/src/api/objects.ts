import type * as activity from '@mediamill/contract/console/activity'
import type * as estimates from '@mediamill/contract/console/estimates'
import type * as mail from '@mediamill/contract/console/mail'
import type * as operator from '@mediamill/contract/console/operator'
import type * as operatorService from '@mediamill/contract/console/operator-service'
import type * as session from '@mediamill/contract/console/session'
import type { SessionBody } from '@mediamill/contract/console/session'
import type * as settings from '@mediamill/contract/console/settings'
import type { AccountBody } from '@mediamill/contract/objects/account'
import type { z } from 'zod'

export type { ConsoleEventBody as EventRow, OverviewBody as Overview } from '@mediamill/contract/console/activity'
export type { OperatedAccountBody as OperatedAccount } from '@mediamill/contract/console/operator'
export type { ServiceBody as ServiceDetails, SessionBody as Session } from '@mediamill/contract/console/session'
export type { KeyBody as Key } from '@mediamill/contract/console/settings'
export type { AccountBody as Account, LimitsBody as Limits } from '@mediamill/contract/objects/account'
export type {
  CatalogBody as Catalog,
  CatalogMedium,
  CatalogOperation,
  CatalogParameter,
} from '@mediamill/contract/objects/catalog'
export type { ErrorBody } from '@mediamill/contract/objects/error'
export type { EstimateBody as Estimate } from '@mediamill/contract/objects/estimate'
export type { RequestBody as MediaRequest } from '@mediamill/contract/objects/request'
export type { TemplateShape as Template } from '@mediamill/contract/objects/template'
export type { UploadBody as Upload } from '@mediamill/contract/objects/upload'
export type { UsageBody as Usage } from '@mediamill/contract/objects/usage'

export type Money = AccountBody['balance']
export type SessionKind = SessionBody['kind']
export type List<Item> = { data: Item[]; has_more: boolean }

type ResponseBody<Route, Status extends number> = Route extends { responses: Record<Status, { schema: infer Schema }> }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : never
  : never

export type SessionRow = ResponseBody<typeof session.listSessions, 200>['data'][number]
export type CurrentSession = ResponseBody<typeof session.currentSession, 200>
export type DraftEstimate = ResponseBody<typeof estimates.estimateDraft, 200>
export type LinkDetails = ResponseBody<typeof session.checkLink, 200>
export type NewKey = ResponseBody<typeof settings.createKey, 201>
export type Webhook = ResponseBody<typeof settings.getWebhook, 200>
export type WebhookTest = ResponseBody<typeof settings.testWebhook, 200>
export type SecretRow = ResponseBody<typeof settings.listSecrets, 200>['data'][number]
export type AuditRow = ResponseBody<typeof settings.listAudit, 200>['data'][number]
export type EventWhole = ResponseBody<typeof activity.getEvent, 200>
export type NewAccount = ResponseBody<typeof operator.createAccount, 201>
export type SignInLink = ResponseBody<typeof operator.linkAccount, 201>
export type Invitation = ResponseBody<typeof mail.inviteMember, 201>
export type LedgerRow = ResponseBody<typeof operatorService.listLedger, 200>['data'][number]
export type LedgerCheck = ResponseBody<typeof operatorService.verifyLedger, 200>
export type Revenue = ResponseBody<typeof operatorService.getRevenue, 200>
export type QueueState = ResponseBody<typeof operatorService.getQueue, 200>
export type Health = ResponseBody<typeof operatorService.getHealth, 200>
