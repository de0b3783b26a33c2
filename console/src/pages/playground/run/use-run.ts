import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { MediaRequest } from '../../../api/objects.ts'

/** Sends the request in test mode and follows it to its end. */
export function useRun(endpoint: string, body: Record<string, unknown>) {
  const client = useQueryClient()
  const sending = useMutation({
    mutationFn: () => call<MediaRequest>('POST', `/${endpoint}`, { body, headers: { prefer: 'wait=20' } }),
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
