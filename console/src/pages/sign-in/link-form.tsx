import { Button, Stack, Text } from '@mantine/core'
import { IconLogin2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { CallError } from '../../api/call-error.ts'
import type { LinkDetails } from '../../api/objects.ts'
import { Problem } from '../../components/problem.tsx'
import { text } from './text.ts'
import type { SignIn } from './use-sign-in.ts'

type Props = { token: string; signIn: SignIn; onForget: () => void }

/** A form to sign in with an emailed link. Opening the link does not sign in, because mail scanners open links. */
export function LinkForm({ token, signIn, onForget }: Props) {
  const link = useQuery({
    queryKey: ['link', token],
    queryFn: () => call<LinkDetails>('POST', '/session/check', { body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const isSpent = isRejected(signIn.error) || isRejected(link.error)
  return (
    <Stack gap="sm">
      <Text size="sm">{text.linkExpires}</Text>
      <Problem error={signIn.error ?? (isSpent ? link.error : null)} />
      {!isSpent && (
        <Button
          size="md"
          h="auto"
          mih={42}
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere', lineHeight: 1.4 } }}
          loading={signIn.isPending || link.isPending}
          leftSection={<IconLogin2 size={18} aria-hidden="true" />}
          onClick={() => signIn.mutate({ token })}
        >
          {link.data === undefined ? text.signInToTheConsole : `${text.signInToTheConsole} ${asWhom(link.data)}`}
        </Button>
      )}
      <Button variant="subtle" onClick={onForget}>
        {isSpent ? text.signInAnotherWay : text.signInWithoutThisLink}
      </Button>
    </Stack>
  )
}

const isRejected = (error: Error | null) => error instanceof CallError && [403, 409, 422].includes(error.status)

/** Returns the account that a link signs in to, as text, so that users notice a link to another account. */
function asWhom({ kind, account, email }: LinkDetails): string {
  if (kind === 'operator') return text.asAnOperator
  return account === null ? text.andCreateAnAccount(email ?? '') : text.asAccount(account.name, account.id)
}
