import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { messagesByField } from '../../../api/call-error.ts'
import { useChange } from '../../../api/use-api.ts'
import { filled } from '../../../components/field-checks.ts'
import { formatDollars } from '../../../components/format.ts'
import { Panel } from '../../../components/panel.tsx'
import { Problem } from '../../../components/problem.tsx'

type Kind = 'credit' | 'adjustments'

function dollars(typed: string): string {
  const value = Number(typed.trim())
  return typed.trim() === '' || Number.isNaN(value) ? typed.trim() : formatDollars(Math.round(value * 1_000_000))
}

export function MoneyPanel({ id, name }: { id: number; name: string }) {
  const [kind, setKind] = useState<Kind>('credit')
  /** The amount in the confirmation dialog. After the dialog, the amount that was sent. */
  const [asked, setAsked] = useState<{ kind: Kind; amount: string }>()
  const [confirming, { open, close }] = useDisclosure(false)
  const form = useForm({
    initialValues: { amount: '', why: '' },
    validate: {
      amount: filled('Enter an amount in dollars.'),
      why: filled(kind === 'credit' ? 'Enter a reference.' : 'Enter a reason.'),
    },
  })
  const book = useChange({
    stale: ['/accounts', '/ledger', '/audit', '/revenue'],
    showsErrors: false,
    onDone() {
      const { amount, kind: booked } = asked ?? { amount: '', kind }
      notifications.show({
        message:
          booked === 'credit' ? `Credited ${amount} to ${name}.` : `Adjusted the balance of ${name} by ${amount}.`,
        color: 'mill',
      })
      form.reset()
    },
  })
  const problems = messagesByField(book.error)
  const whyField = kind === 'credit' ? 'reference' : 'reason'
  const amount = dollars(form.values.amount)
  const verb = kind === 'credit' ? `Credit ${amount}`.trimEnd() : `Adjust by ${amount}`.replace(/ by $/, '')
  const submit = () => {
    setAsked({ kind, amount })
    open()
  }
  const send = ({ amount, why }: typeof form.values) =>
    book.mutate({
      method: 'POST',
      path: `/accounts/${String(id)}/${kind}`,
      body: { amount: amount.trim(), [whyField]: why.trim() },
    })
  return (
    <Panel title="Credit">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="sm">
          <SegmentedControl
            aria-label="Kind of entry"
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
              error={form.errors['amount'] ?? problems['amount']}
            />
            <TextInput
              label={kind === 'credit' ? 'Reference' : 'Reason'}
              placeholder={kind === 'credit' ? 'invoice 7' : 'charged twice'}
              description={kind === 'credit' ? 'Each reference is credited only once.' : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              required
              {...form.getInputProps('why')}
              error={form.errors['why'] ?? problems[whyField]}
            />
          </Group>
          <Button type="submit" loading={book.isPending}>
            {verb}
          </Button>
        </Stack>
      </form>
      <Modal opened={confirming} onClose={close} title={`${verb} ${kind === 'credit' ? 'to' : 'for'} ${name}?`}>
        <Text size="sm">Ledger entries cannot be changed or deleted. Correct a mistake with an adjustment.</Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            data-autofocus
            onClick={() => {
              send(form.values)
              close()
            }}
          >
            {verb}
          </Button>
        </Group>
      </Modal>
    </Panel>
  )
}
