import type { Session } from '../../api/objects.ts'
import { StatusBadge } from '../../components/status-badge.tsx'

export function ModeBadge({ session }: { session: Session }) {
  if (session.kind === 'operator') return <StatusBadge status="queued" label="Operator" />
  if (session.kind === 'account') return null
  return <StatusBadge status="processing" label={session.livemode === true ? 'Live key' : 'Test key'} />
}
