import { formatAgo, formatTime } from './format.ts'

/** A relative time, with the full time as its title. */
export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatAgo(at)}
    </time>
  )
}
