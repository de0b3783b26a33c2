import { formatAgo, formatTime } from './format.ts'

/** A relative time. Its tooltip shows the full time. */
export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(at)}
    </time>
  )
}
