import { Tooltip, VisuallyHidden } from '@mantine/core'
import { shared } from '../text.ts'
import classes from './days-chart.module.css'
import { formatCount, formatDay, formatShortDay } from './format.ts'

type Day = { date: string } & Record<string, number | string>
type Props = {
  days: Day[]
  label: string
  name?: string
  format?: (value: number) => string
  /** The minimum distance between two lines of the scale. */
  step?: number
}

/** A chart with a value for each day. Screen readers get a table of the same values. */
export function DaysChart({ days, label, name = 'requests', format = formatCount, step = 1 }: Props) {
  const valueOf = (day: Day) => Number(day[name] ?? 0)
  const scale = scaleOf(Math.max(0, ...days.map(valueOf)), step)
  const top = scale.at(-1) ?? step
  return (
    <figure className={classes['figure']} aria-label={label}>
      <div className={classes['chart']} aria-hidden="true">
        <div className={classes['scale']}>
          {scale.map((value) => (
            <span key={value} style={{ bottom: percent(value, top) }}>
              {format(value)}
            </span>
          ))}
        </div>
        <div className={classes['plot']}>
          {days.every((day) => valueOf(day) === 0) && (
            <span className={classes['empty']}>{shared.noDataForThisPeriod}</span>
          )}
          {scale.map((value) => (
            <i key={value} className={classes['line']} style={{ bottom: percent(value, top) }} />
          ))}
          <Tooltip.Group openDelay={0} closeDelay={80}>
            {days.map((day) => (
              <Tooltip key={day.date} label={`${formatDay(day.date)}: ${format(valueOf(day))}`}>
                <div className={classes['day']}>
                  <div className={classes['bar']} style={{ height: percent(valueOf(day), top) }} />
                </div>
              </Tooltip>
            ))}
          </Tooltip.Group>
        </div>
        <div className={classes['days']}>
          {days
            .filter((_, index) => index % Math.max(1, Math.ceil(days.length / 5)) === 0)
            .map(({ date }) => (
              <span key={date}>{formatShortDay(date)}</span>
            ))}
        </div>
      </div>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <tbody>
            {days.map((day) => (
              <tr key={day.date}>
                <th scope="row">{formatDay(day.date)}</th>
                <td>{format(valueOf(day))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}

const ROUND = [1, 2, 5, 10]

/** Returns values for a chart's lines: at most five round numbers, at least `minStep` apart, that reach `maximum`. */
function scaleOf(maximum: number, minStep: number): number[] {
  const rough = Math.max(maximum / 4, minStep)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = (ROUND.find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power
  const count = Math.max(1, Math.ceil(maximum / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

const percent = (part: number, whole: number) => `${String((100 * part) / whole)}%`
