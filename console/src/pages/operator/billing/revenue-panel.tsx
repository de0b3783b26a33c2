import { SimpleGrid, Stack } from '@mantine/core'
import type { Revenue } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { DaysChart } from '../../../components/days-chart.tsx'
import { formatCount, formatDollars } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { Read } from '../../../components/read.tsx'
import { Stat } from '../../../components/stat.tsx'
import { text } from './text.ts'

export function RevenuePanel() {
  const revenue = useApi<Revenue>('/revenue', { query: { days: 30 } })
  return (
    <Read of={revenue} rows={10}>
      {({ data }) => (
        <Stack gap="md">
          <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', md: 'md' }}>
            <Stat
              name={text.charged}
              value={formatDollars(data.reduce((sum, day) => sum + day.revenue.micro_usd, 0))}
              about={text.chargedAbout}
            />
            <Stat
              name={text.bought}
              value={formatDollars(data.reduce((sum, day) => sum + day.purchases.micro_usd, 0))}
              about={text.chargedAbout}
            />
            <Stat
              name={text.succeeded}
              value={formatCount(data.reduce((sum, day) => sum + day.succeeded, 0))}
              about={text.succeededAbout}
            />
            <Stat
              name={text.failed}
              value={formatCount(data.reduce((sum, day) => sum + day.failed, 0))}
              about={text.succeededAbout}
            />
          </SimpleGrid>
          <Panel title={text.chargedByDay} about={text.chargedByDayAbout}>
            <DaysChart
              days={data.map((day) => ({ date: day.date, charged: day.revenue.micro_usd }))}
              name="charged"
              label={text.chargedByDay}
              format={formatDollars}
              step={1000}
            />
          </Panel>
        </Stack>
      )}
    </Read>
  )
}
