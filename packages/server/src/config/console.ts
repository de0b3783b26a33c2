import { oneOf, optional, setting, smtpUrl, withoutPassword } from './parse.ts'

export const CONSOLE_SETTINGS = {
  console: setting({
    variable: 'CONSOLE',
    ...oneOf('on', 'off'),
    meaning: 'Whether the console is served at /console.',
  }),
  signUp: setting({
    variable: 'SIGN_UP',
    ...oneOf('off', 'invite', 'open'),
    meaning: 'Allowed sign-ups: none, invited people, or anyone with an email address.',
    role: 'api',
  }),
  smtpUrl: optional({
    variable: 'SMTP_URL',
    fallback: 'unset: no mail',
    parse: smtpUrl,
    allowed: 'smtp://user:password@host:port or smtps://…',
    meaning: 'Mail server for sign-in links.',
    role: 'api',
    secret: true,
    shown: withoutPassword,
  }),
  mailFrom: optional({
    variable: 'MAIL_FROM',
    fallback: "unset: mediamill at BASE_URL's host",
    parse: (text) => (/^[^\p{Cc}]{1,200}$/u.test(text) && text.includes('@') ? text : undefined),
    allowed: 'an email address, or a name and an address in angle brackets',
    meaning: 'Sender address of email.',
    role: 'api',
  }),
  stripeSecretKey: optional({
    variable: 'STRIPE_SECRET_KEY',
    fallback: 'unset: credit is booked by the operator',
    parse: (text) => (/^(?:sk|rk)_\w{8,}$/.test(text) ? text : undefined),
    allowed: 'a secret key of Stripe, sk_… or rk_…, with STRIPE_WEBHOOK_SECRET',
    meaning: 'Lets accounts buy credit with Stripe Checkout.',
    role: 'api',
    secret: true,
  }),
  stripeWebhookSecret: optional({
    variable: 'STRIPE_WEBHOOK_SECRET',
    fallback: 'unset: none',
    parse: (text) => (/^whsec_\w{8,}$/.test(text) ? text : undefined),
    allowed: 'the signing secret of an endpoint of Stripe, whsec_…, with STRIPE_SECRET_KEY',
    meaning: 'Verifies Stripe events, which go to BASE_URL/console/api/stripe/webhook.',
    role: 'api',
    secret: true,
  }),
}
