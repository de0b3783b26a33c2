import { Button, Group, Paper, Select, Stack, TextInput } from '@mantine/core'
import { DAY_MS, dayOf } from '@mediamill/contract/lib/moment'
import { IconChartBar, IconDownload } from '@tabler/icons-react'
import { messagesByField } from '../../api/call-error.ts'
import type { Usage } from '../../api/objects.ts'
import { useSession } from '../../api/queries/session.ts'
import { useApi } from '../../api/use-api.ts'
import { useAddress } from '../../app/use-address.ts'
import { ChipRow } from '../../components/chip-row.tsx'
import { DaysChart } from '../../components/days-chart.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { formatDollars } from '../../components/format.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { shared } from '../../text.ts'
import { csvOf, saveText } from './csv.ts'
import { everyDay } from './every-day.ts'
import { text } from './text.ts'
import { rowsOf } from './usage-row.ts'
import { UsageTable } from './usage-table.tsx'

const GROUPS = [
  ['day', text.byDay],
  ['endpoint', text.byEndpoint],
  ['customer', text.byCustomer],
  ['status', text.byStatus],
] as const
const groupOf = (name: string) => GROUPS.map(([group]) => group).find((group) => group === name) ?? 'day'

const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS)

export function UsagePage() {
  const { kind } = useSession()
  const [{ group_by, from, to, mode }, choose] = useAddress({
    group_by: 'day',
    from: dayBefore(29),
    to: dayBefore(0),
    mode: 'live',
  })
  const group = groupOf(group_by)
  const usage = useApi<Usage>('/usage', {
    query: { group_by: group, from, to, mode: kind === 'key' ? undefined : mode },
    keep: true,
  })
  const problems = messagesByField(usage.error)
  return (
    <>
      <PageHeader
        title={text.usage}
        about={text.usageAbout}
        actions={
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden="true" />}
            disabled={usage.data === undefined}
            onClick={() =>
              usage.data !== undefined && saveText(`usage-by-${group}-${from}-${to}.csv`, 'text/csv', csvOf(usage.data))
            }
          >
            {text.csv}
          </Button>
        }
      />
      <Paper p="md" mb="md" component="section" aria-label={text.periodAndGrouping}>
        <Group align="flex-end" gap="md">
          <ChipRow
            label={text.group}
            options={GROUPS}
            value={group}
            onChange={(chosen) => choose({ group_by: chosen })}
          />
          <TextInput
            label={text.from}
            type="date"
            flex={{ base: '1 1 40%', xs: 'none' }}
            value={from}
            onChange={(event) => choose({ from: event.currentTarget.value }, { typed: true })}
            error={problems['from']}
          />
          <TextInput
            label={text.to}
            type="date"
            flex={{ base: '1 1 40%', xs: 'none' }}
            value={to}
            onChange={(event) => choose({ to: event.currentTarget.value }, { typed: true })}
            error={problems['to']}
          />
          {kind !== 'key' && (
            <Select
              label={shared.mode}
              data={[
                { value: 'live', label: text.live },
                { value: 'test', label: text.test },
              ]}
              value={mode}
              onChange={(chosen) => choose({ mode: chosen ?? 'live' })}
              allowDeselect={false}
              w={110}
            />
          )}
        </Group>
      </Paper>
      {Object.keys(problems).length === 0 && (
        <Read of={usage}>
          {(found) => {
            const rows = rowsOf(found)
            if (rows.length === 0) {
              return (
                <Paper>
                  <EmptyState icon={IconChartBar} title={text.noUsageInThisPeriod}>
                    {text.noUsageInThisPeriodAbout}
                  </EmptyState>
                </Paper>
              )
            }
            return (
              <Stack gap="md">
                {found.group_by === 'day' && (
                  <Panel title={text.spentByDay}>
                    <DaysChart
                      days={everyDay(found.from, found.to, rows)}
                      name="spent"
                      label={text.spentByDay}
                      format={formatDollars}
                      step={1000}
                    />
                  </Panel>
                )}
                <Paper style={{ overflow: 'hidden' }}>
                  <UsageTable group={found.group_by} rows={rows} />
                </Paper>
              </Stack>
            )
          }}
        </Read>
      )}
    </>
  )
}
