import type { QueryClient } from '@tanstack/react-query'
import type { Session } from '../api/objects.ts'
import { basePath } from './page-settings.ts'

/** Tells this browser's other tabs, which share the session, that it is another one or none. */
const tabs = new BroadcastChannel(`mediamill ${basePath}`)

/** Makes the pages those of whoever signed in, or of nobody: what was read for another is forgotten. */
export function setSession(client: QueryClient, session: Session | null): void {
  // The session's own entry stays, since the page watches it: taken out and put anew it would be another.
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  client.setQueryData(['session'], session)
  tabs.postMessage('another session')
}

/** Reads everything anew when another tab signs in or out: the next call would be made as whom that tab signed in. */
export function followOtherTabs(client: QueryClient): void {
  tabs.addEventListener('message', () => void client.resetQueries())
}
