import type { QueryClient } from '@tanstack/react-query'
import type { Session } from '../api/objects.ts'
import { basePath } from './page-settings.ts'

/** A channel that notifies the other tabs of a changed session. All tabs of a browser share one session. */
const tabs = new BroadcastChannel(`mediamill ${basePath}`)

export function setSession(client: QueryClient, session: Session | null): void {
  // Keep the query of the session, because the page would not observe a new query.
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' })
  client.setQueryData(['session'], session)
  tabs.postMessage('another session')
}

/** Reloads all data if another tab signs in or out, because all tabs then have the new session. */
export function followOtherTabs(client: QueryClient): void {
  tabs.addEventListener('message', () => void client.resetQueries())
}
