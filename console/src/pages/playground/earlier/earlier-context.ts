import { createContext, useContext } from 'react'
import type { useEarlier } from './use-earlier.ts'

export const EarlierContext = createContext<ReturnType<typeof useEarlier> | undefined>(undefined)

export function useEarlierCalls() {
  const earlier = useContext(EarlierContext)
  if (earlier === undefined) throw new Error('this component works in the playground only')
  return earlier
}
