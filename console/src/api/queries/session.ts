import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { call } from '../call.ts'
import type { CurrentSession, ServiceDetails, Session } from '../objects.ts'

/** The query of the session. Its data is `null` if the user is signed out. */
export const sessionQuery = {
  queryKey: ['session'],
  staleTime: 60_000,
  async queryFn(): Promise<Session | null> {
    return (await call<CurrentSession>('GET', '/session/current')).session
  },
}

export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('this page requires a session')
  return data
}

export function useServiceDetails() {
  return useQuery({ queryKey: ['service'], queryFn: () => call<ServiceDetails>('GET', '/service'), staleTime: 600_000 })
}
