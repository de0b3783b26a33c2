import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { useCallback } from 'react'

/**
 * A callback that runs once its calls pause, or just before another page comes.
 *
 * What it writes into the address belongs to this page: later, the way back leads to a page without it.
 */
export function useLateCallback<Args extends unknown[]>(callback: (...args: Args) => void, delay: number) {
  const late = useDebouncedCallback(callback, delay)
  const { history } = useRouter()
  const shouldBlockFn = useCallback(
    ({ action, current, next }: Move) => {
      // The way back has left the page by now, and a step within the page carries its own address.
      if (action === 'PUSH' && current.pathname !== next.pathname) late.flush()
      return false
    },
    [late],
  )
  useBlocker({ shouldBlockFn, enableBeforeUnload: false })
  useWindowEvent('beforeunload', () => {
    late.flush()
    history.flush()
  })
  return late
}

type Move = { action: string; current: { pathname: string }; next: { pathname: string } }
