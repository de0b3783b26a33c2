import { checkUrl } from '../../outbound/guard/check-url.ts'
import type { Network } from '../../outbound/network.ts'
import type { Finding } from './finding.ts'
import { good, warning } from './finding.ts'

const KNOWN_NAME = 'example.com'

export async function checkNames(network: Network): Promise<Finding> {
  const verdict = await checkUrl(`https://${KNOWN_NAME}/`, network)
  if (verdict.ok) return good('names', `the name server resolves ${KNOWN_NAME}`)
  if (verdict.code === 'url_blocked') {
    const remedy =
      'It filters or redirects names. Use a name server that returns public addresses. Until then, URLs are rejected as private.'
    return warning('names', `the name server resolves ${KNOWN_NAME} to a private address`, remedy)
  }
  const remedy =
    'Check /etc/resolv.conf and the outgoing network. Without DNS, only uploads, own results, and ALLOWED_PRIVATE_HOSTS work as sources, and webhooks wait.'
  return warning('names', `no name server resolved ${KNOWN_NAME}`, remedy)
}
