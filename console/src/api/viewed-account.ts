/** The account that an operator looks at, as the address says. `undefined`: the session's own. */
export function viewedAccount(): number | undefined {
  const id = Number(new URLSearchParams(window.location.search).get('account') ?? '')
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}
