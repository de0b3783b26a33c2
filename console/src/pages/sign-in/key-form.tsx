import { Button, PasswordInput, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { messageOf } from '../../api/call-error.ts'
import { text } from './text.ts'
import type { SignIn } from './use-sign-in.ts'

/** A form to sign in with an API key. The session has the key's permissions, and ends when the key is revoked. */
export function KeyForm({ signIn }: { signIn: SignIn }) {
  const form = useForm({
    initialValues: { key: '' },
    validate: {
      key: (key) => (/^svc_(live|test)_/.test(key.trim()) ? null : text.apiKeyError),
    },
  })
  return (
    <form onSubmit={form.onSubmit(({ key }) => signIn.mutate({ api_key: key.trim() }))} noValidate>
      <Stack gap="sm">
        <PasswordInput
          label={text.apiKey}
          description={text.apiKeyDescription}
          placeholder={text.apiKeyPlaceholder}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('key')}
          error={form.errors['key'] ?? (signIn.error === null ? undefined : messageOf(signIn.error))}
        />
        <Button type="submit" size="md" loading={signIn.isPending}>
          {text.signInWithThisKey}
        </Button>
      </Stack>
    </form>
  )
}
