import type { QueryClient } from '@tanstack/react-query'
import type { Session } from '../api/objects.ts'
import { basePath } from './page-settings.ts'

/** The channel that notifies this browser's other tabs of a changed or ended session. All tabs share one session. */
const tabs = new BroadcastChannel(`mediamill ${basePath}`)

/** Sets or clears the session, and removes the cached data of the previous session. */
export function setSession(client: QueryClient, session: Session | null): void {
  // Keep the session entry, because the page observes it. A new entry would be a different object.
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  client.setQueryData(['session'], session)
  tabs.postMessage('another session')
}

/** Reloads all data if another tab signs in or out, because the next call of this tab would use the new session. */
export function followOtherTabs(client: QueryClient): void {
  tabs.addEventListener('message', () => void client.resetQueries())
}
