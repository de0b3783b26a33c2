import { Alert, Button, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messagesByField } from '../../api/call-error.ts'
import { useChange } from '../../api/use-api.ts'
import { email, filled } from '../../components/field-checks.ts'
import { Problem } from '../../components/problem.tsx'
import { shared } from '../../text.ts'
import { text } from './text.ts'

/** A form to create an account. The account exists once the user has confirmed the email address. */
export function SignUpForm() {
  const form = useForm({
    initialValues: { name: '', email: '' },
    validate: { name: filled(text.enterAName), email },
  })
  const send = useChange({ showsErrors: false })
  if (send.isSuccess) return <Alert title={text.checkYourEmail}>{text.confirmYourAddress}</Alert>
  const problems = messagesByField(send.error)
  return (
    <form onSubmit={form.onSubmit((body) => send.mutate({ method: 'POST', path: '/sign-up', body }))} noValidate>
      <Stack gap="sm">
        <Title order={2} size="sm">
          {text.newHere}
        </Title>
        {Object.keys(problems).length === 0 && <Problem error={send.error} />}
        <TextInput
          label={shared.name}
          required
          {...form.getInputProps('name')}
          error={form.errors['name'] ?? problems['name']}
        />
        <TextInput
          label={text.yourEmailAddress}
          type="email"
          autoComplete="email"
          required
          {...form.getInputProps('email')}
          error={form.errors['email'] ?? problems['email']}
        />
        <Button type="submit" variant="default" loading={send.isPending}>
          {text.createAnAccount}
        </Button>
      </Stack>
    </form>
  )
}
