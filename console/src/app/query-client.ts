import { notifications } from '@mantine/notifications'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { CallError } from '../api/call-error.ts'
import { shared } from '../text.ts'

const isSignedOut = (error: unknown) => error instanceof CallError && error.status === 401

function endSession(): void {
  if (queryClient.getQueryData(['session']) !== null)
    notifications.show({
      id: 'signed out',
      color: 'yellow',
      autoClose: 15_000,
      message: shared.youAreSignedOut,
    })
  void queryClient.resetQueries({ queryKey: ['session'] })
}

/** The client of all queries. If a response reports that the session ended, the sign-in page opens. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      if (isSignedOut(error) && query.queryKey[0] !== 'session') endSession()
    },
  }),
  mutationCache: new MutationCache({
    // Without a session, only the sign-in page sends forms, and it shows their errors itself.
    onError(error) {
      if (isSignedOut(error) && queryClient.getQueryData(['session']) !== null) endSession()
    },
  }),
  defaultOptions: {
    // By default, calls wait silently while the browser has no network. A local service responds without a network.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 1000,
      retry: (failures, error) =>
        failures < 2 && error instanceof CallError && (error.status === 0 || error.status >= 500),
    },
  },
})
