import type { z } from 'zod'
import type { AccountBody } from '../../../src/contract/account.ts'
import type * as activity from '../../../src/contract/console/activity.ts'
import type * as mail from '../../../src/contract/console/mail.ts'
import type * as operator from '../../../src/contract/console/operator.ts'
import type * as operatorService from '../../../src/contract/console/operator-service.ts'
import type * as session from '../../../src/contract/console/session.ts'
import type { SessionBody } from '../../../src/contract/console/session.ts'
import type * as settings from '../../../src/contract/console/settings.ts'

export type { AccountBody as Account, LimitsBody as Limits } from '../../../src/contract/account.ts'
export type {
  CatalogBody as Catalog,
  CatalogMedium,
  CatalogOperation,
  CatalogParameter,
} from '../../../src/contract/catalog.ts'
export type { ConsoleEventBody as EventRow, OverviewBody as Overview } from '../../../src/contract/console/activity.ts'
export type { OperatedAccountBody as OperatedAccount } from '../../../src/contract/console/operator.ts'
export type { ServiceBody as ServiceFacts, SessionBody as Session } from '../../../src/contract/console/session.ts'
export type { KeyBody as Key } from '../../../src/contract/console/settings.ts'
export type { ErrorBody } from '../../../src/contract/error.ts'
export type { EstimateBody as Estimate } from '../../../src/contract/estimate.ts'
export type { RequestBody as MediaRequest } from '../../../src/contract/request.ts'
export type { UploadBody as Upload } from '../../../src/contract/upload.ts'
export type { UsageBody as Usage } from '../../../src/contract/usage.ts'

export type Money = AccountBody['balance']
export type SessionKind = SessionBody['kind']
export type List<Item> = { data: Item[]; has_more: boolean }

/** What a route of the console answers with this status. */
type Answer<Route, Status extends number> = Route extends { answers: Record<Status, { schema: infer Schema }> }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : never
  : never

export type SessionRow = Answer<typeof session.listSessions, 200>['data'][number]
export type LinkFacts = Answer<typeof session.checkLink, 200>
export type NewKey = Answer<typeof settings.createKey, 201>
export type Webhook = Answer<typeof settings.getWebhook, 200>
export type WebhookTest = Answer<typeof settings.testWebhook, 200>
export type SecretRow = Answer<typeof settings.listSecrets, 200>['data'][number]
export type AuditRow = Answer<typeof settings.listAudit, 200>['data'][number]
export type EventWhole = Answer<typeof activity.getEvent, 200>
export type NewAccount = Answer<typeof operator.createAccount, 201>
export type SignInLink = Answer<typeof operator.linkAccount, 201>
export type Invitation = Answer<typeof mail.inviteSomebody, 201>
export type LedgerRow = Answer<typeof operatorService.listLedger, 200>['data'][number]
export type LedgerCheck = Answer<typeof operatorService.verifyLedger, 200>
export type Revenue = Answer<typeof operatorService.getRevenue, 200>
export type QueueState = Answer<typeof operatorService.getQueue, 200>
export type Health = Answer<typeof operatorService.getHealth, 200>
