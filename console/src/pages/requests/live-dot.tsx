import { StatusBadge } from '../../components/status-badge.tsx'

/** Says that the list reads itself anew. */
export function LiveDot({ failed }: { failed: boolean }) {
  return <StatusBadge status={failed ? 'failed' : 'ok'} label={failed ? 'Not live' : 'Live'} />
}
