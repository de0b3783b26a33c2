import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { messagesByField } from '../../../api/call-error.ts'
import { useChange } from '../../../api/use-api.ts'
import { email as checkEmail, emailOrNothing, filled } from '../../../components/field-checks.ts'
import { Problem } from '../../../components/problem.tsx'
import { shared } from '../../../text.ts'
import { text } from './text.ts'

type Person = { name: string; email?: string }
type Props<Created> = {
  opened: boolean
  onClose: () => void
  title: string
  about?: string
  /** Whether the email address is required. If it is optional, `description` explains its use. */
  email: { required: true } | { required: false; description: string }
  submit: string
  path: string
  stale: string[]
  done: {
    title: (created: Created) => string
    button: string
    isKeptOpen: boolean
    show: (created: Created) => ReactNode
  }
}

/** A dialog that creates an object for a person. `done` renders the response, whose secret is shown only once. */
export function PersonDialog<Created>({
  opened,
  onClose,
  title,
  about,
  email,
  submit,
  path,
  stale,
  done,
}: Props<Created>) {
  const form = useForm({
    initialValues: { name: '', email: '' },
    validate: {
      name: filled(text.enterAName),
      email: email.required ? checkEmail : emailOrNothing,
    },
  })
  const create = useChange<Created>({ stale, showsErrors: false })
  const problems = messagesByField(create.error)
  const close = () => {
    form.reset()
    create.reset()
    onClose()
  }
  const send = (values: typeof form.values) => {
    const address = values.email.trim()
    const body: Person = { name: values.name, ...(email.required || address !== '' ? { email: address } : {}) }
    create.mutate({ method: 'POST', path, body })
  }
  if (create.data !== undefined) {
    return (
      <Modal
        opened={opened}
        onClose={close}
        title={done.title(create.data)}
        closeOnClickOutside={false}
        closeOnEscape={!done.isKeptOpen}
      >
        <Stack gap="sm">
          {done.show(create.data)}
          <Button onClick={close}>{done.button}</Button>
        </Stack>
      </Modal>
    )
  }
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack gap="sm">
          {Object.keys(problems).length === 0 && <Problem error={create.error} />}
          {about !== undefined && (
            <Text size="sm" c="dimmed">
              {about}
            </Text>
          )}
          <TextInput
            label={shared.name}
            required
            data-autofocus
            {...form.getInputProps('name')}
            error={form.errors['name'] ?? problems['name']}
          />
          <TextInput
            label={text.emailAddress}
            type="email"
            {...email}
            {...form.getInputProps('email')}
            error={form.errors['email'] ?? problems['email']}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {shared.cancel}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
