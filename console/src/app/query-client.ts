import { notifications } from '@mantine/notifications'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallError } from '../api/call-error.ts'

const isSignedOut = (error: unknown) => error instanceof CallError && error.status === 401

/** Leads to the page for signing in, which says nothing of why by itself. */
function endSession(): void {
  if (queryClient.getQueryData(['session']) !== null)
    notifications.show({
      id: 'signed out',
      color: 'yellow',
      autoClose: 15_000,
      message: 'You are signed out: this session ended, or its key was revoked. Sign in again to go on.',
    })
  void queryClient.resetQueries({ queryKey: ['session'] })
}

/** What the console knows of the service. Whoever is told that the session is over is asked to sign in again. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      if (isSignedOut(error) && query.queryKey[0] !== 'session') endSession()
    },
  }),
  mutationCache: new MutationCache({
    // A form is sent while nobody is signed in only by the page for signing in: its refusals stay beside its fields.
    onError(error) {
      if (isSignedOut(error) && queryClient.getQueryData(['session']) !== null) endSession()
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 1000,
      retry: (failures, error) =>
        failures < 2 && error instanceof CallError && (error.status === 0 || error.status >= 500),
    },
  },
})
