import { StatusBadge } from '../../components/status-badge.tsx'
import { text } from './text.ts'

export function LiveDot({ failed }: { failed: boolean }) {
  return <StatusBadge status={failed ? 'failed' : 'ok'} label={failed ? text.updatesStopped : text.updatesLive} />
}
