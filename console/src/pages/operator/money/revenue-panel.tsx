import { SimpleGrid, Stack } from '@mantine/core'
import type { Revenue } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { DaysChart } from '../../../components/days-chart.tsx'
import { formatCount, formatDollars } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { Read } from '../../../components/read.tsx'
import { Stat } from '../../../components/stat.tsx'

export function RevenuePanel() {
  const revenue = useApi<Revenue>('/revenue', { query: { days: 30 } })
  return (
    <Read of={revenue} rows={10}>
      {({ data }) => (
        <Stack gap="md">
          <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', md: 'md' }}>
            <Stat
              name="Charged"
              value={formatDollars(data.reduce((sum, day) => sum + day.revenue.micro_usd, 0))}
              about="in 30 days"
            />
            <Stat
              name="Bought"
              value={formatDollars(data.reduce((sum, day) => sum + day.purchases.micro_usd, 0))}
              about="in 30 days"
            />
            <Stat
              name="Succeeded"
              value={formatCount(data.reduce((sum, day) => sum + day.succeeded, 0))}
              about="requests in 30 days"
            />
            <Stat
              name="Failed"
              value={formatCount(data.reduce((sum, day) => sum + day.failed, 0))}
              about="requests in 30 days"
            />
          </SimpleGrid>
          <Panel title="Charged by day" about="The last 30 days, UTC">
            <DaysChart
              days={data.map((day) => ({ date: day.date, charged: day.revenue.micro_usd }))}
              name="charged"
              label="Charged by day"
              format={formatDollars}
              step={1000}
            />
          </Panel>
        </Stack>
      )}
    </Read>
  )
}
