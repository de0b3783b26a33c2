/**
 * Returns the account that an operator is viewing, from the page's URL. `undefined` means the session's own account.
 */
export function viewedAccount(): number | undefined {
  const id = Number(new URLSearchParams(window.location.search).get('account') ?? '')
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}
