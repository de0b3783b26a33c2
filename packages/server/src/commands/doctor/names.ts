import { checkUrl } from '../../outbound/guard/check-url.ts'
import type { Network } from '../../outbound/network.ts'
import type { Finding } from './finding.ts'
import { good, warning } from './finding.ts'

/** A name that is there for such uses (RFC 2606). */
const KNOWN_NAME = 'example.com'

/** Looks up a public name as the service does for a source. */
export async function judgeNames(network: Network): Promise<Finding> {
  const verdict = await checkUrl(`https://${KNOWN_NAME}/`, network)
  if (verdict.ok) return good('names', `the name server knows ${KNOWN_NAME}`)
  if (verdict.code === 'url_blocked') {
    const remedy =
      'It filters or redirects names. Use one that gives public addresses: URLs are refused as private ones.'
    return warning('names', `the name server says that ${KNOWN_NAME} is a private address`, remedy)
  }
  const remedy =
    'Check /etc/resolv.conf and the way out. Without DNS only uploads, own results and ALLOWED_PRIVATE_HOSTS are sources, and webhooks wait.'
  return warning('names', `no name server gave an address of ${KNOWN_NAME}`, remedy)
}
