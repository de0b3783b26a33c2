import { useCallback, useState } from 'react'

const tokenOf = (hash: string) => new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? undefined

/** The token of a sign-in link, which stands after `#` so that no log and no other site sees it. */
export function useSignInToken() {
  const [token, setToken] = useState(() => tokenOf(window.location.hash))
  const forget = useCallback(() => {
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
    setToken(undefined)
  }, [])
  return { token, forget }
}
