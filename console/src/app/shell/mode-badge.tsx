import type { Session } from '../../api/objects.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { shared } from '../../text.ts'

export function ModeBadge({ session }: { session: Session }) {
  if (session.kind === 'operator') return <StatusBadge status="queued" label={shared.operator} />
  if (session.kind === 'account') return null
  return <StatusBadge status="processing" label={session.livemode === true ? shared.liveKey : shared.testKey} />
}
