import { SimpleGrid } from '@mantine/core'
import type { Overview } from '../../api/objects.ts'
import { formatCount, formatDollars, formatMoney } from '../../components/format.ts'
import { Stat } from '../../components/stat.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

export function CreditStats({ credit, days }: Pick<Overview, 'credit' | 'days'>) {
  const requests = days.reduce((sum, day) => sum + day.requests, 0)
  const spent = days.reduce((sum, day) => sum + day.amount.micro_usd, 0)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={{ base: 'sm', md: 'md' }}>
      <Stat name={text.availableCredit} value={formatMoney(credit.available)} about={text.availableCreditAbout} />
      <Stat name={shared.held} value={formatMoney(credit.held)} about={text.heldAbout} />
      <Stat name={shared.requests} value={formatCount(requests)} about={text.requestsAbout} />
      <Stat name={text.spent} value={formatDollars(spent)} about={text.requestsAbout} />
    </SimpleGrid>
  )
}
