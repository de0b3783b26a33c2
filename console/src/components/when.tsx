import { formatAgo, formatTime } from './format.ts'

/** A time as its distance from now; the title has it whole. */
export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(at)}
    </time>
  )
}
