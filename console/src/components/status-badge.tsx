import classes from './status-badge.module.css'

const TONES: Record<string, string> = {
  succeeded: 'good',
  delivered: 'good',
  ok: 'good',
  active: 'good',
  failed: 'bad',
  undelivered: 'bad',
  suspended: 'bad',
  processing: 'busy',
  pending: 'wait',
  queued: 'wait',
  live: 'busy',
}

export function StatusBadge({ status, label = status }: { status: string; label?: string }) {
  return (
    <span className={classes['badge']} data-tone={TONES[status] ?? 'quiet'}>
      <span aria-hidden="true" className={classes['dot']} />
      {label}
    </span>
  )
}
