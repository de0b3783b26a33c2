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
import { shared } from '../../../text.ts'
import { text } from './text.ts'

type Kind = 'credit' | 'adjustments'

function dollars(typed: string): string {
  const value = Number(typed.trim())
  return typed.trim() === '' || Number.isNaN(value) ? typed.trim() : formatDollars(Math.round(value * 1_000_000))
}

export function MoneyPanel({ id, name }: { id: number; name: string }) {
  const [kind, setKind] = useState<Kind>('credit')
  /** The amount in the confirmation dialog. After the dialog has closed, the amount that was sent. */
  const [confirmed, setConfirmed] = useState<{ kind: Kind; amount: string }>()
  const [confirming, { open, close }] = useDisclosure(false)
  const form = useForm({
    initialValues: { amount: '', why: '' },
    validate: {
      amount: filled(shared.enterAnAmountInDollars),
      why: filled(kind === 'credit' ? text.enterAReference : text.enterAReason),
    },
  })
  const book = useChange({
    stale: ['/accounts', '/ledger', '/audit', '/revenue'],
    showsErrors: false,
    onDone() {
      const { amount, kind: booked } = confirmed ?? { amount: '', kind }
      notifications.show({
        message: booked === 'credit' ? text.credited(amount, name) : text.adjustedBalance(name, amount),
        color: 'mill',
      })
      form.reset()
    },
  })
  const problems = messagesByField(book.error)
  const whyField = kind === 'credit' ? 'reference' : 'reason'
  const amount = dollars(form.values.amount)
  const verb = kind === 'credit' ? text.creditAmount(amount) : text.adjustBy(amount)
  const submit = () => {
    setConfirmed({ kind, amount })
    open()
  }
  const send = ({ amount, why }: typeof form.values) =>
    book.mutate({
      method: 'POST',
      path: `/accounts/${String(id)}/${kind}`,
      body: { amount: amount.trim(), [whyField]: why.trim() },
    })
  return (
    <Panel title={text.credit}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="sm">
          <SegmentedControl
            aria-label={text.kindOfEntry}
            data={[
              { value: 'credit', label: text.purchase },
              { value: 'adjustments', label: text.adjustment },
            ]}
            value={kind}
            onChange={(value) => setKind(value as Kind)}
          />
          {Object.keys(problems).length === 0 && <Problem error={book.error} />}
          <Group align="flex-start" gap="sm" grow>
            <TextInput
              label={shared.dollars}
              placeholder={kind === 'credit' ? '25.00' : '-0.50'}
              inputMode="decimal"
              required
              {...form.getInputProps('amount')}
              error={form.errors['amount'] ?? problems['amount']}
            />
            <TextInput
              label={kind === 'credit' ? text.reference : text.reason}
              placeholder={kind === 'credit' ? text.referencePlaceholder : text.reasonPlaceholder}
              description={kind === 'credit' ? text.referenceDescription : undefined}
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
      <Modal
        opened={confirming}
        onClose={close}
        title={kind === 'credit' ? text.confirmCredit(verb, name) : text.confirmAdjustment(verb, name)}
      >
        <Text size="sm">{text.confirmEntryAbout}</Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={close}>
            {shared.cancel}
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
