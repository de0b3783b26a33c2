import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { VisuallyHidden } from '@mantine/core'
import { formatCount } from './format.ts'

type Day = { date: string } & Record<string, number | string>
type Props = { days: Day[]; label: string; name?: string; format?: (value: number) => string }

/** Bars by day, and the same figures as a table for those who do not see them. */
export function DaysChart({ days, label, name = 'requests', format = formatCount }: Props) {
  return (
    <figure style={{ margin: 0 }} aria-label={label}>
      <div aria-hidden="true">
        <BarChart
          h={220}
          data={days}
          dataKey="date"
          series={[{ name, color: 'mill.6', label }]}
          tickLine="none"
          gridAxis="x"
          valueFormatter={format}
          xAxisProps={{ tickFormatter: shortDay, minTickGap: 24 }}
          yAxisProps={{ width: 56, allowDecimals: false }}
          barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false, maxBarSize: 26 }}
          barChartProps={{ accessibilityLayer: false }}
        />
      </div>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <tbody>
            {days.map((day) => (
              <tr key={day.date}>
                <th scope="row">{day.date}</th>
                <td>{format(Number(day[name] ?? 0))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}

const shortDay = (date: string) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
