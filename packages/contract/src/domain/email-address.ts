type EmailAddress = {
  /** The address for comparisons: ASCII letters are lowercase, and the domain is in punycode. */
  key: string
  /** The key without a tag such as `+news`. For Gmail addresses, also without dots. */
  mailbox: string
  domain: string
  /** The address for delivery: the original local part, and the domain in punycode. */
  deliverTo: string
}

const MAX_LENGTH = 254

/** The domains of Gmail, which ignores dots before the @, and delivers mail for both domains to one mailbox. */
export const GMAIL_DOMAINS = ['gmail.com', 'googlemail.com'] as const

/** Parses an email address. Returns `undefined` if it is invalid. The key keeps the case of non-ASCII letters. */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const [local = '', name = '', ...others] = text.split('@')
  if (text.length > MAX_LENGTH || others.length > 0) return undefined
  if (local === '' || /[\s\p{Cc}\p{Cf}<>,;:"\\()[\]]/u.test(local)) return undefined
  const domain = readDomain(name)
  if (domain === undefined) return undefined
  const folded = local.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return {
    key: `${folded}@${domain}`,
    mailbox: mailboxOf(folded, domain),
    domain,
    deliverTo: `${local}@${domain}`,
  }
}

function mailboxOf(local: string, domain: string): string {
  const [untagged = ''] = local.split('+')
  const name = untagged === '' ? local : untagged
  const isGmail = GMAIL_DOMAINS.some((one) => one === domain)
  return isGmail ? `${name.replaceAll('.', '')}@${GMAIL_DOMAINS[0]}` : `${name}@${domain}`
}

function readDomain(name: string): string | undefined {
  if (!/^[^\s\p{Cc}%:/?#@[\]\\<>,;"]+$/u.test(name)) return undefined
  const host = URL.parse(`http://${name}`)?.hostname.replace(/\.$/, '') ?? ''
  // Some mail servers ignore trailing dots, so the same domain would have several spellings.
  if (host.split('.').includes('')) return undefined
  // A URL parser reads numbers as an IPv4 address, which needs brackets in a mail domain.
  return /(?:^|\.)\d+$/.test(host) ? undefined : host
}
