import type { QueryClient } from '@tanstack/react-query'
import type { Session } from '../api/objects.ts'

/** Makes the pages those of whoever signed in, or of nobody: what was read for another is forgotten. */
export function setSession(client: QueryClient, session: Session | null): void {
  // The session's own entry stays, since the page watches it: taken out and put anew it would be another.
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  client.setQueryData(['session'], session)
}
