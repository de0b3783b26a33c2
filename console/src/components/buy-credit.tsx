import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { messagesByField } from '../api/call-error.ts'
import { useSession } from '../api/queries/session.ts'
import { useChange } from '../api/use-api.ts'
import { shared } from '../text.ts'
import { filled } from './field-checks.ts'
import { Problem } from './problem.tsx'

export function BuyCredit() {
  const { service, kind } = useSession()
  const [opened, { open, close }] = useDisclosure(false)
  if (kind !== 'account') return null
  return (
    <>
      <Button variant="default" onClick={open}>
        {shared.buyCredit}
      </Button>
      <Modal opened={opened} onClose={close} title={shared.buyCredit}>
        {service.buy_credit ? <CheckoutForm /> : <Text size="sm">{shared.noOnlinePayment}</Text>}
      </Modal>
    </>
  )
}

function CheckoutForm() {
  const form = useForm({
    initialValues: { amount: '25.00' },
    validate: { amount: filled(shared.enterAnAmountInDollars) },
  })
  const checkout = useChange<{ url: string }>({ showsErrors: false, onDone: ({ url }) => window.location.assign(url) })
  const problems = messagesByField(checkout.error)
  return (
    <form onSubmit={form.onSubmit((body) => checkout.mutate({ method: 'POST', path: '/checkout', body }))} noValidate>
      <Stack gap="sm">
        {Object.keys(problems).length === 0 && <Problem error={checkout.error} />}
        <TextInput
          label={shared.dollars}
          description={shared.dollarsDescription}
          inputMode="decimal"
          data-autofocus
          {...form.getInputProps('amount')}
          error={form.errors['amount'] ?? problems['amount']}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={checkout.isPending}>
            {shared.goToPayment}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
