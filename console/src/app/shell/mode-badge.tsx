import type { Session } from '../../api/objects.ts'
import { StatusBadge } from '../../components/status-badge.tsx'

/** Says what a session may touch where that is not everything of its account. */
export function ModeBadge({ session }: { session: Session }) {
  if (session.kind === 'operator') return <StatusBadge status="queued" label="Operator" />
  if (session.kind === 'account') return null
  return <StatusBadge status="processing" label={session.livemode === true ? 'Live key' : 'Test key'} />
}
