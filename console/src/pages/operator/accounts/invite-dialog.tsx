import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messagesByField } from '../../../api/call-error.ts'
import type { Invitation } from '../../../api/objects.ts'
import { useChange } from '../../../api/use-api.ts'
import { formatTime } from '../../../components/format.ts'
import { Problem } from '../../../components/problem.tsx'
import { SecretField } from '../../../components/secret-field.tsx'

type Props = { opened: boolean; onClose: () => void }

/** Makes a link by which somebody opens an account of their own, and mails it where the service sends mail. */
export function InviteDialog({ opened, onClose }: Props) {
  const form = useForm({ initialValues: { name: '', email: '' } })
  const make = useChange<Invitation>({ stale: ['/audit'], tell: false })
  const problems = messagesByField(make.error)
  const close = () => {
    form.reset()
    make.reset()
    onClose()
  }
  const submit = ({ name, email }: typeof form.values) =>
    make.mutate({ method: 'POST', path: '/invitations', body: { name, email: email.trim() } })
  if (make.data !== undefined) {
    const { url, expires_at, mailed } = make.data
    return (
      <Modal opened={opened} onClose={close} title="The invitation is made" closeOnClickOutside={false}>
        <Stack gap="sm">
          <Text size="sm">
            {mailed
              ? 'It is on its way by mail. This is the same link, should the mail not come.'
              : 'No mail was sent: the service has no mail server. Send the link on a way that only they read.'}
          </Text>
          <SecretField label="Invitation link" value={url} />
          <Text size="xs" c="dimmed">
            Opens the account once, until {formatTime(expires_at)}.
          </Text>
          <Button onClick={close}>Done</Button>
        </Stack>
      </Modal>
    )
  }
  return (
    <Modal opened={opened} onClose={close} title="Invite somebody">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="sm">
          {Object.keys(problems).length === 0 && <Problem error={make.error} />}
          <Text size="sm" c="dimmed">
            The account is opened when they follow the link: nobody else sees its keys.
          </Text>
          <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} error={problems['name']} />
          <TextInput
            label="Mail address"
            type="email"
            required
            {...form.getInputProps('email')}
            error={problems['email']}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={make.isPending}>
              Make the invitation
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
