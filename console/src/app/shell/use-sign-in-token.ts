import { useCallback, useEffect, useState } from 'react'

const tokenOf = (hash: string) => new URLSearchParams(hash.replace(/^#/, '')).get('token') ?? undefined

/** The token of a sign-in link, which stands after `#` so that no log and no other site sees it. */
export function useSignInToken() {
  const [token, setToken] = useState(() => tokenOf(window.location.hash))
  useEffect(() => {
    // A link that is put into the address of an open page changes only what is behind `#`: nothing is loaded anew.
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
