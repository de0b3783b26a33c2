import { useCallback, useEffect, useState } from 'react'

const tokenOf = (hash: string) => new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? undefined

/** Returns the token of a sign-in link. It follows `#` in the URL, so that no log and no other site receives it. */
export function useSignInToken() {
  const [token, setToken] = useState(() => tokenOf(window.location.hash))
  useEffect(() => {
    // Also runs for a link that is pasted into the address bar: if only the part after `#` changes, no reload follows.
    const take = () => {
      const opened = tokenOf(window.location.hash)
      if (opened !== undefined) setToken(opened)
    }
    window.addEventListener('hashchange', take)
    return () => window.removeEventListener('hashchange', take)
  }, [])
  const forget = useCallback(() => {
    window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search)
    setToken(undefined)
  }, [])
  return { token, forget }
}
