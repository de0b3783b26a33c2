import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks'
import { useBlocker, useRouter } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'

/** A step along the browser's history, back or forward, which is made already when the page hears of it. */
export type Travel<Args> = {
  /** The entry that was left, by its key. */
  from: string
  /** The entry that is there now. */
  to: string
  /** What the callback was still to be called with; it is not called any more. */
  missed: Args | undefined
  /** The new entry's search, where it is of the same page. */
  search: Record<string, unknown> | undefined
}

/**
 * A callback that runs once its calls pause, or just before a link or a new document is followed.
 *
 * What it writes into the address belongs to one entry of the history. The way back has left that entry before anybody
 * can write into it: `onTravel` is told what was missed, to keep it for when the entry is there again.
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

/** The key by which the router knows an entry of the history again. */
export const keyOf = (state: unknown): string =>
  typeof state === 'object' && state !== null && '__TSR_key' in state ? String(state.__TSR_key) : ''
