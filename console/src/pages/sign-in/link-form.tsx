import { Button, Stack, Text } from '@mantine/core'
import { IconLogin2 } from '@tabler/icons-react'
import { CallError } from '../../api/call-error.ts'
import { Problem } from '../../components/problem.tsx'
import type { SignIn } from './use-sign-in.ts'

type Props = { token: string; signIn: SignIn; onForget: () => void }

/** The button that uses up a sign-in link. Opening the link alone changes nothing: mail scanners open links too. */
export function LinkForm({ token, signIn, onForget }: Props) {
  const isSpent = signIn.error instanceof CallError && signIn.error.status < 500 && signIn.error.status > 0
  return (
    <Stack gap="sm">
      <Text size="sm">You opened a sign-in link. It works once, within 15 minutes of being made.</Text>
      <Problem error={signIn.error} />
      {!isSpent && (
        <Button
          size="md"
          loading={signIn.isPending}
          leftSection={<IconLogin2 size={18} aria-hidden="true" />}
          onClick={() => signIn.mutate({ token })}
        >
          Sign in to the console
        </Button>
      )}
      <Button variant="subtle" onClick={onForget}>
        {isSpent ? 'Sign in another way' : 'Use something else'}
      </Button>
    </Stack>
  )
}
