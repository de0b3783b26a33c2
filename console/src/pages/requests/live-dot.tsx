import { StatusBadge } from '../../components/status-badge.tsx'

export function LiveDot({ failed }: { failed: boolean }) {
  return <StatusBadge status={failed ? 'failed' : 'ok'} label={failed ? 'Updates stopped' : 'Updates live'} />
}
