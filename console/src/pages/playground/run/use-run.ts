import { hashKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { MediaRequest } from '../../../api/objects.ts'
import type { EarlierResults } from '../earlier/earlier-call.ts'
import { insertResults } from '../earlier/earlier-call.ts'

type Runnable = {
  endpoint: string
  body: Record<string, unknown>
  earlier: unknown
  previewUrl: string | undefined
}

const RUN = ['run']

const sameAs = (one: Runnable, other: Runnable) =>
  hashKey([one.endpoint, one.body, one.earlier]) === hashKey([other.endpoint, other.body, other.earlier])

export function useRun(current: Runnable, runEarlier: () => Promise<EarlierResults>) {
  const client = useQueryClient()
  const sending = useMutation({
    mutationKey: RUN,
    mutationFn: async ({ endpoint, body }: Runnable) =>
      call<MediaRequest>('POST', `/${endpoint}`, {
        body: insertResults(body, await runEarlier()),
        // Short requests finish within 2 s. Longer requests show their progress.
        headers: { prefer: 'wait=2' },
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
  const aborting = useMutation({
    mutationFn: (id: number) => call<MediaRequest>('POST', `/requests/${String(id)}/abort`),
    onSettled: () => followed.refetch(),
  })
  return {
    // The keyboard shortcut works while the button is disabled, and a second press can come before React renders.
    run: () => {
      if (!isRunning && client.isMutating({ mutationKey: RUN }) === 0) sending.mutate(current)
    },
    isRunning,
    abort: {
      isPending: aborting.isPending,
      run: () => {
        if (sent !== undefined) aborting.mutate(sent.id)
      },
    },
    request: sending.isPending ? undefined : request,
    error: sending.error ?? followed.error ?? (isRunning ? null : aborting.error),
    previewUrl: sending.variables?.previewUrl,
    isCurrent: sending.variables === undefined || sameAs(sending.variables, current),
  }
}
