import { imagesProcess } from '@mediamill/contract/endpoints/images-process'
import { exampleSucceeded } from '@mediamill/contract/objects/examples'
import type { SendMail } from '../accounts/sign-in/mailed-links.ts'
import type { Sql } from '../db/connection/connect.ts'
import type { ConsoleOptions } from '../http/routes/console/console-context.ts'
import { packageVersion } from '../lib/program-version.ts'
import { Mailer } from '../outbound/mail.ts'
import type { Network } from '../outbound/network.ts'
import type { StripeAddress } from '../outbound/stripe.ts'
import { StripeCheckout } from '../outbound/stripe.ts'
import { postTestEvent } from '../webhooks/test-event.ts'
import type { ServiceConfig } from './installation.ts'

const ROOT = new URL('../../../../', import.meta.url)

export type ConsoleParts = { folder?: URL; stripeAt?: StripeAddress }

export function consoleOptions(
  config: ServiceConfig,
  sql: Sql,
  network: Network,
  { folder = new URL('console/dist/', ROOT), stripeAt }: ConsoleParts = {},
): ConsoleOptions | undefined {
  if (config.console === 'off') return undefined
  const { secretKey, isolation } = config
  const example = { ...exampleSucceeded(imagesProcess), livemode: false }
  return {
    version: packageVersion(),
    secretKey,
    isolation,
    stripe: stripeOf(config, stripeAt),
    signUp: config.signUp,
    sendMail: mailerOf(config),
    postTestEvent: (accountId, url) => postTestEvent({ sql, secretKey, network, example }, accountId, url),
    folder,
  }
}

function stripeOf(config: ServiceConfig, at: StripeAddress | undefined): StripeCheckout | undefined {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret } = config
  if (secretKey === undefined || webhookSecret === undefined) return undefined
  return new StripeCheckout({ secretKey, webhookSecret }, at)
}

function mailerOf({ smtpUrl, mailFrom, baseUrl }: ServiceConfig): SendMail | undefined {
  if (smtpUrl === undefined) return undefined
  const mailer = new Mailer(smtpUrl, mailFrom ?? `Mediamill <mediamill@${new URL(baseUrl).hostname}>`)
  return (mail) => mailer.send(mail)
}
