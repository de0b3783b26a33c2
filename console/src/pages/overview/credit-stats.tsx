import { SimpleGrid } from '@mantine/core'
import type { Overview } from '../../api/objects.ts'
import { formatCount, formatDollars, formatMoney } from '../../components/format.ts'
import { Stat } from '../../components/stat.tsx'

export function CreditStats({ credit, days }: Pick<Overview, 'credit' | 'days'>) {
  const requests = days.reduce((sum, day) => sum + day.requests, 0)
  const spent = days.reduce((sum, day) => sum + day.amount.micro_usd, 0)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', md: 'md' }}>
      <Stat name="Available credit" value={formatMoney(credit.available)} about="for new requests" />
      <Stat name="Held" value={formatMoney(credit.held)} about="by open requests" />
      <Stat name="Requests" value={formatCount(requests)} about="in 30 days" />
      <Stat name="Spent" value={formatDollars(spent)} about="in 30 days" />
    </SimpleGrid>
  )
}
