/** An e-mail address in the forms that the service compares and sends to. */
export type EmailAddress = {
  /** Compared: ASCII letters in lower case, the domain in punycode. */
  key: string
  /** The key without `+tag`, which most mail servers deliver to the same mailbox. */
  mailbox: string
  domain: string
  /** Where mail goes: the local part as it was written, the domain in punycode. */
  deliverTo: string
}

const MAX_LENGTH = 254

/**
 * Reads an e-mail address. `undefined` if it is not one.
 *
 * Only ASCII letters are folded: a mail server may treat any other two letters as different, however similar they look.
 * The domain is what a resolver would look up, so that two spellings of one domain are equal and two domains never are.
 */
export function readEmailAddress(text: string): EmailAddress | undefined {
  const [local = '', name = '', ...others] = text.split('@')
  if (text.length > MAX_LENGTH || others.length > 0) return undefined
  if (local === '' || /[\s\p{Cc}\p{Cf}<>,;:"\\()[\]]/u.test(local)) return undefined
  const domain = readDomain(name)
  if (domain === undefined) return undefined
  const folded = local.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const [untagged = ''] = folded.split('+')
  return {
    key: `${folded}@${domain}`,
    mailbox: `${untagged === '' ? folded : untagged}@${domain}`,
    domain,
    deliverTo: `${local}@${domain}`,
  }
}

/** A domain in punycode, without a final dot. Addresses in brackets are not accepted. */
function readDomain(name: string): string | undefined {
  if (!/^[^\s\p{Cc}%:/?#@[\]\\<>,;"]+$/u.test(name)) return undefined
  const host = URL.parse(`http://${name}`)?.hostname.replace(/\.$/, '') ?? ''
  // A URL parser reads numbers as an IPv4 address, which is no mail domain without brackets.
  return host === '' || /(?:^|\.)\d+$/.test(host) ? undefined : host
}
