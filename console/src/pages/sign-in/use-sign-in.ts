import type { UseMutationResult } from '@tanstack/react-query'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Session } from '../../api/objects.ts'
import { setSession } from '../../app/set-session.ts'

type Proof = { token: string } | { api_key: string }
export type SignIn = UseMutationResult<Session, Error, Proof>

export function useSignIn(onSignedIn: () => void): SignIn {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (proof: Proof) => call<Session>('POST', '/session', { body: proof }),
    onSuccess(session) {
      setSession(client, session)
      onSignedIn()
    },
  })
}
