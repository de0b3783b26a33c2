import { useCallback, useEffect, useState } from 'react'

const tokenOf = (hash: string) => new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? undefined

/** Returns the token of a sign-in link. The token follows `#`, so that it is in no log and no Referer header. */
export function useSignInToken() {
  const [token, setToken] = useState(() => tokenOf(window.location.hash))
  useEffect(() => {
    // Also run this if a user pastes a link into the address bar: a change after `#` does not reload the page.
    const readToken = () => {
      const found = tokenOf(window.location.hash)
      if (found !== undefined) setToken(found)
    }
    window.addEventListener('hashchange', readToken)
    return () => window.removeEventListener('hashchange', readToken)
  }, [])
  const forget = useCallback(() => {
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
    setToken(undefined)
  }, [])
  return { token, forget }
}
