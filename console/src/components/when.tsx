import { shared } from '../text.ts'
import { formatAgo, formatTime, formatUtcTime } from './format.ts'

type Props = { at: string; exact?: boolean }

/** Shows a time, such as `5 min ago`, or with `exact`, in the time zone of the browser. A tooltip shows the UTC time. */
export function When({ at, exact = false }: Props) {
  return (
    <time dateTime={at} title={exact ? formatUtcTime(at) : shared.bothTimes(formatTime(at), formatUtcTime(at))}>
      {exact ? formatTime(at) : formatAgo(at)}
    </time>
  )
}
