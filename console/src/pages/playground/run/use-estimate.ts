import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import type { Estimate } from '../../../api/objects.ts'

/** The price of the request. A rejected estimate names the invalid fields before anything runs. */
export function useEstimate(endpoint: string, body: Record<string, unknown>, isComplete: boolean) {
  const [asked] = useDebouncedValue(JSON.stringify(body), 400)
  return useQuery({
    queryKey: ['estimate', endpoint, asked],
    queryFn: ({ signal }) => call<Estimate>('POST', `/${endpoint}/estimate`, { body: JSON.parse(asked), signal }),
    placeholderData: keepPreviousData,
    enabled: isComplete,
    retry: false,
    staleTime: 60_000,
  })
}
