import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call, rejection } from '../../../api/call.ts'
import type { DraftEstimate, Estimate } from '../../../api/objects.ts'

export function useEstimate(endpoint: string, body: Record<string, unknown>, isComplete: boolean) {
  const [debounced] = useDebouncedValue(JSON.stringify(body), 400)
  return useQuery({
    queryKey: ['estimate', endpoint, debounced],
    async queryFn({ signal }): Promise<Estimate> {
      const draft = { endpoint, body: JSON.parse(debounced) as unknown }
      const { estimate, error } = await call<DraftEstimate>('POST', '/estimates', { body: draft, signal })
      // An invalid request returns 200 with the estimate `null`, because a browser would log each 4xx as an error.
      if (estimate === null) throw rejection(422, { error })
      return estimate
    },
    placeholderData: keepPreviousData,
    enabled: isComplete,
    retry: false,
    staleTime: 60_000,
  })
}
