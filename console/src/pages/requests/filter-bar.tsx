import { Button, Group, Paper, Select, SimpleGrid, TextInput } from '@mantine/core'
import { ENDPOINT_NAMES } from '@mediamill/cli/src/operations/endpoint-names'
import { REQUEST_STATUSES } from '@mediamill/contract/domain/request'
import { ChipRow } from '../../components/chip-row.tsx'
import { LateTextInput } from '../../components/late-text-input.tsx'
import { shared } from '../../text.ts'
import type { Filters } from './filters.ts'
import { isBadMetadata, isFiltered } from './filters.ts'
import { text } from './text.ts'

type Props = {
  filters: Filters
  onChange: (filters: Filters, how?: { typed: boolean }) => void
  problems: Record<string, string>
}

/** The filters of the list. A change updates the URL and returns to the first page. */
export function FilterBar({ filters, onChange, problems }: Props) {
  const set = (change: { [Name in keyof Filters]?: Filters[Name] | null | undefined }, typed = false) => {
    const next = Object.entries({ ...filters, ...change, before: undefined })
    onChange(Object.fromEntries(next.filter(([, value]) => value !== undefined && value !== null && value !== '')), {
      typed,
    })
  }
  return (
    <Paper p="md" mb="md" component="section" aria-label={shared.filters}>
      <Group justify="space-between" mb="sm" gap="sm">
        <ChipRow
          label={shared.status}
          options={[['', text.all], ...REQUEST_STATUSES.map((status) => [status, status] as const)]}
          value={filters.status ?? ''}
          onChange={(status) => set({ status })}
        />
        {isFiltered(filters) && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange({})}>
            {text.clear}
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 2, md: 3, lg: 6 }} spacing="sm">
        <Select
          label={text.endpoint}
          placeholder={text.all}
          data={[...ENDPOINT_NAMES]}
          value={filters.endpoint ?? null}
          onChange={(endpoint) => set({ endpoint })}
          clearable
        />
        <Select
          label={shared.mode}
          placeholder={text.modePlaceholder}
          data={[
            { value: 'live', label: text.live },
            { value: 'test', label: text.test },
          ]}
          value={filters.mode ?? null}
          onChange={(mode) => set({ mode: mode === 'live' || mode === 'test' ? mode : null })}
          clearable
        />
        <LateTextInput
          label={shared.customer}
          value={filters.customer ?? ''}
          onLate={(customer) => set({ customer }, true)}
          error={problems['customer']}
        />
        <LateTextInput
          label={text.metadata}
          placeholder={text.metadataPlaceholder}
          value={filters.metadata ?? ''}
          onLate={(metadata) => set({ metadata }, true)}
          error={
            isBadMetadata(filters.metadata)
              ? text.metadataError
              : Object.entries(problems).find(([param]) => param.startsWith('metadata'))?.[1]
          }
        />
        <TextInput
          label={text.from}
          type="date"
          value={filters.from ?? ''}
          onChange={(event) => set({ from: event.currentTarget.value }, true)}
          error={problems['created_from']}
        />
        <TextInput
          label={text.to}
          type="date"
          value={filters.to ?? ''}
          onChange={(event) => set({ to: event.currentTarget.value }, true)}
          error={problems['created_to']}
        />
      </SimpleGrid>
    </Paper>
  )
}
