import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { MediaRequest } from '../../../api/objects.ts'
import type { Given } from '../earlier/earlier-call.ts'
import { withGiven } from '../earlier/earlier-call.ts'

/** Sends the request in test mode, after the calls that come first, and follows it to its end. */
export function useRun(endpoint: string, body: Record<string, unknown>, makeEarlier: () => Promise<Given>) {
  const client = useQueryClient()
  const sending = useMutation({
    mutationFn: async () =>
      call<MediaRequest>('POST', `/${endpoint}`, {
        body: withGiven(body, await makeEarlier()),
        headers: { prefer: 'wait=20' },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['/overview'] }),
  })
  const sent = sending.data
  const isOpen = (request: MediaRequest | undefined) => request !== undefined && !('completed_at' in request)
  const followed = useQuery({
    queryKey: [`/requests/${String(sent?.id)}`, {}, 'run'],
    queryFn: ({ signal }) => call<MediaRequest>('GET', `/requests/${String(sent?.id)}`, { signal }),
    enabled: isOpen(sent),
    refetchInterval: ({ state }) => (state.data === undefined || isOpen(state.data) ? 700 : false),
  })
  const request = isOpen(sent) ? (followed.data ?? sent) : sent
  const isRunning = sending.isPending || isOpen(request)
  return {
    // The keyboard's way to it knows nothing of a button that waits.
    run: () => {
      if (!isRunning) sending.mutate()
    },
    isRunning,
    request: sending.isPending ? undefined : request,
    error: sending.error ?? followed.error,
  }
}
