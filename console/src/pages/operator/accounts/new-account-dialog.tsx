import { Alert, Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messagesByField } from '../../../api/call-error.ts'
import type { NewAccount } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { Problem } from '../../../components/problem.tsx'
import { SecretField } from '../../../components/secret-field.tsx'

type Props = { opened: boolean; onClose: () => void }

/** Opens an account, and shows its keys this once. */
export function NewAccountDialog({ opened, onClose }: Props) {
  const form = useForm({ initialValues: { name: '', email: '' } })
  const make = useChange<NewAccount>({ stale: ['/accounts', '/audit'], tell: false })
  const problems = messagesByField(make.error)
  const close = () => {
    form.reset()
    make.reset()
    onClose()
  }
  const submit = ({ name, email }: typeof form.values) =>
    make.mutate({
      method: 'POST',
      path: '/accounts',
      body: { name, ...(email.trim() === '' ? {} : { email: email.trim() }) },
    })
  if (make.data !== undefined) {
    const { account, live_key, test_key, webhook_secret } = make.data
    return (
      <Modal
        opened={opened}
        onClose={close}
        title={`Account ${String(account.id)} is open`}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <Stack gap="sm">
          <Alert>The keys are shown this once: only their digests are kept.</Alert>
          <SecretField label="Live key" value={live_key} />
          <SecretField label="Test key" value={test_key} />
          <SecretField label="Webhook secret" value={webhook_secret} />
          <Button onClick={close}>I have stored them</Button>
        </Stack>
      </Modal>
    )
  }
  return (
    <Modal opened={opened} onClose={close} title="New account">
      <form onSubmit={form.onSubmit(submit)}>
        <Stack gap="sm">
          {Object.keys(problems).length === 0 && <Problem error={make.error} />}
          <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} error={problems['name']} />
          <TextInput
            label="Mail address"
            description="Where sign-in links can be sent."
            type="email"
            {...form.getInputProps('email')}
            error={problems['email']}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={make.isPending}>
              Open the account
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
