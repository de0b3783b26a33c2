import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messagesByField } from '../../api/call-error.ts'
import { useChange } from '../../api/use-api.ts'
import { email } from '../../components/field-checks.ts'
import { Problem } from '../../components/problem.tsx'
import { text } from './text.ts'

export function MailForm() {
  const form = useForm({ initialValues: { email: '' }, validate: { email } })
  const send = useChange({ showsErrors: false })
  if (send.isSuccess) {
    return <Alert title={text.checkYourEmail}>{text.checkYourEmailAbout}</Alert>
  }
  const problems = messagesByField(send.error)
  return (
    <form onSubmit={form.onSubmit((body) => send.mutate({ method: 'POST', path: '/sign-in-links', body }))} noValidate>
      <Stack gap="sm">
        {Object.keys(problems).length === 0 && <Problem error={send.error} />}
        <TextInput
          label={text.emailAddress}
          type="email"
          autoComplete="email"
          required
          {...form.getInputProps('email')}
          error={form.errors['email'] ?? problems['email']}
        />
        <Button type="submit" variant="default" loading={send.isPending}>
          {text.emailMeALink}
        </Button>
      </Stack>
    </form>
  )
}
