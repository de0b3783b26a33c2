import { Button, Group, Paper, Select, SimpleGrid, TextInput } from '@mantine/core'
import { ENDPOINT_NAMES, REQUEST_STATUSES } from '@mediamill/cli/src/operations/enum-values'
import { messagesByField } from '../../api/call-error.ts'
import { ChipRow } from '../../components/chip-row.tsx'
import { LateTextInput } from '../../components/late-text-input.tsx'
import type { Filters } from './filters.ts'
import { isBadMetadata, isFiltered } from './filters.ts'

type Props = { filters: Filters; onChange: (filters: Filters, how?: { typed: boolean }) => void; error: unknown }

/** The filters of the list of requests. A change updates the URL and returns to the first page. */
export function FilterBar({ filters, onChange, error }: Props) {
  const problems = messagesByField(error)
  const set = (change: { [Name in keyof Filters]?: Filters[Name] | null | undefined }, typed = false) => {
    const next = Object.entries({ ...filters, ...change, before: undefined })
    onChange(Object.fromEntries(next.filter(([, value]) => value !== undefined && value !== null && value !== '')), {
      typed,
    })
  }
  return (
    <Paper p="md" mb="md" component="section" aria-label="Filters">
      <Group justify="space-between" mb="sm" gap="sm">
        <ChipRow
          label="Status"
          options={[['', 'All'], ...REQUEST_STATUSES.map((status) => [status, status] as const)]}
          value={filters.status ?? ''}
          onChange={(status) => set({ status })}
        />
        {isFiltered(filters) && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange({})}>
            Clear
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="sm">
        <Select
          label="Endpoint"
          placeholder="All"
          data={[...ENDPOINT_NAMES]}
          value={filters.endpoint ?? null}
          onChange={(endpoint) => set({ endpoint })}
          clearable
        />
        <Select
          label="Mode"
          placeholder="Both"
          data={[
            { value: 'live', label: 'Live' },
            { value: 'test', label: 'Test' },
          ]}
          value={filters.mode ?? null}
          onChange={(mode) => set({ mode: mode === 'live' || mode === 'test' ? mode : null })}
          clearable
        />
        <LateTextInput
          label="Customer"
          value={filters.customer ?? ''}
          onLate={(customer) => set({ customer }, true)}
          error={problems['customer']}
        />
        <LateTextInput
          label="Metadata"
          placeholder="order=1977"
          value={filters.metadata ?? ''}
          onLate={(metadata) => set({ metadata }, true)}
          error={
            isBadMetadata(filters.metadata)
              ? 'Enter a key and a value, such as order=1977.'
              : Object.entries(problems).find(([param]) => param.startsWith('metadata'))?.[1]
          }
        />
        <TextInput
          label="From"
          type="date"
          value={filters.from ?? ''}
          onChange={(event) => set({ from: event.currentTarget.value }, true)}
          error={problems['created_from']}
        />
        <TextInput
          label="To"
          type="date"
          value={filters.to ?? ''}
          onChange={(event) => set({ to: event.currentTarget.value }, true)}
          error={problems['created_to']}
        />
      </SimpleGrid>
    </Paper>
  )
}
