import { Button, Group, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { messagesByField } from '../../../api/call-error.ts'
import { useChange } from '../../../api/use-api.ts'
import { Panel } from '../../../components/panel.tsx'
import { Problem } from '../../../components/problem.tsx'

type Kind = 'credit' | 'adjustments'

/** Books a purchase, or puts something right. */
export function MoneyPanel({ id }: { id: number }) {
  const [kind, setKind] = useState<Kind>('credit')
  const form = useForm({ initialValues: { amount: '', why: '' } })
  const book = useChange({
    stale: ['/accounts', '/ledger', '/audit', '/revenue'],
    done: 'It is booked.',
    tell: false,
    onDone: () => form.reset(),
  })
  const problems = messagesByField(book.error)
  const whyField = kind === 'credit' ? 'reference' : 'reason'
  const submit = ({ amount, why }: typeof form.values) =>
    book.mutate({
      method: 'POST',
      path: `/accounts/${String(id)}/${kind}`,
      body: { amount: amount.trim(), [whyField]: why.trim() },
    })
  return (
    <Panel title="Credit">
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="sm">
          <SegmentedControl
            aria-label="What is booked"
            data={[
              { value: 'credit', label: 'Purchase' },
              { value: 'adjustments', label: 'Adjustment' },
            ]}
            value={kind}
            onChange={(value) => setKind(value as Kind)}
          />
          {Object.keys(problems).length === 0 && <Problem error={book.error} />}
          <Group align="flex-start" gap="sm" grow>
            <TextInput
              label="Dollars"
              placeholder={kind === 'credit' ? '25.00' : '-0.50'}
              inputMode="decimal"
              required
              {...form.getInputProps('amount')}
              error={problems['amount']}
            />
            <TextInput
              label={kind === 'credit' ? 'Reference' : 'Reason'}
              placeholder={kind === 'credit' ? 'invoice 7' : 'charged twice'}
              description={kind === 'credit' ? 'The same one is booked once.' : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              required
              {...form.getInputProps('why')}
              error={problems[whyField]}
            />
          </Group>
          <Button type="submit" loading={book.isPending}>
            {kind === 'credit' ? 'Credit the account' : 'Adjust the balance'}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
