/** Returns the account that an operator is viewing. If undefined, pages show the account of the session. */
export function viewedAccount(): number | undefined {
  const id = Number(new URLSearchParams(window.location.search).get('account') ?? '')
  return Number.isSafeInteger(id) && id > 0 ? id : undefined
}
