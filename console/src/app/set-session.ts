import type { QueryClient } from '@tanstack/react-query'
import type { Session } from '../api/objects.ts'
import { basePath } from './page-settings.ts'

/** Notifies this browser's other tabs, which share the session, that the session changed or ended. */
const tabs = new BroadcastChannel(`mediamill ${basePath}`)

/** Sets or clears the session, and removes the cached data of the previous session. */
export function setSession(client: QueryClient, session: Session | null): void {
  // The session entry stays, because the page observes it: a removed and re-added entry would be a different object.
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  client.setQueryData(['session'], session)
  tabs.postMessage('another session')
}

/** Reloads all data when another tab signs in or out: this tab's next call would use that tab's session. */
export function followOtherTabs(client: QueryClient): void {
  tabs.addEventListener('message', () => void client.resetQueries())
}
