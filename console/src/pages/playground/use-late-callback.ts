import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'

/** A navigation to another history entry with the Back or Forward button. */
export type Travel<Args> = {
  from: string
  to: string
  /** The arguments of the call that the navigation canceled. */
  missed: Args | undefined
  /** The search parameters of the new history entry. Undefined if the entry belongs to another page. */
  search: Record<string, unknown> | undefined
}

/**
 * Returns a function that delays `callback` until no call has arrived for `delay` milliseconds, or the user leaves the
 * page. The Back and Forward buttons cancel a pending call, because it would write the URL of the wrong history entry.
 * `onTravel` then receives the arguments of the canceled call.
 */
export function useLateCallback<Args extends unknown[]>(
  callback: (...args: Args) => void,
  delay: number,
  onTravel: (travel: Travel<Args>) => void,
) {
  const missed = useRef<Args>(undefined)
  const late = useDebouncedCallback((...args: Args) => {
    missed.current = undefined
    callback(...args)
  }, delay)
  const { history } = useRouter()
  const shouldBlockFn = useCallback(
    ({ action, current, next }: Move) => {
      if (action === 'PUSH') late.flush()
      if (action === 'PUSH' || action === 'REPLACE') return false
      late.cancel()
      onTravel({
        from: keyOf(history.location.state),
        to: keyOf(window.history.state),
        missed: missed.current,
        search: current.pathname === next.pathname ? next.search : undefined,
      })
      missed.current = undefined
      return false
    },
    [late, onTravel, history],
  )
  useBlocker({ shouldBlockFn, enableBeforeUnload: false })
  useWindowEvent('beforeunload', () => {
    late.flush()
    history.flush()
  })
  return useCallback(
    (...args: Args) => {
      missed.current = args
      late(...args)
    },
    [late],
  )
}

type Move = {
  action: string
  current: { pathname: string }
  next: { pathname: string; search: Record<string, unknown> }
}

export const keyOf = (state: unknown): string =>
  typeof state === 'object' && state !== null && '__TSR_key' in state ? String(state.__TSR_key) : ''
