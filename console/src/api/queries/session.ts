import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { call } from '../call.ts'
import type { CurrentSession, ServiceFacts, Session } from '../objects.ts'

/** Who is signed in; `null` when nobody is. */
export const sessionQuery = {
  queryKey: ['session'],
  staleTime: 60_000,
  async queryFn(): Promise<Session | null> {
    return (await call<CurrentSession>('GET', '/session/current')).session
  },
}

/** The session of a page that only those who signed in can reach. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('nobody is signed in')
  return data
}

export function useServiceFacts() {
  return useQuery({ queryKey: ['service'], queryFn: () => call<ServiceFacts>('GET', '/service'), staleTime: 600_000 })
}
