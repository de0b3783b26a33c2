/** The messages of the fields under `path`, by their names below it; its own is under the empty name. */
export function messagesUnder(messages: Record<string, string>, path: string): Record<string, string> {
  const found = Object.entries(messages).filter(([param]) => param === path || param.startsWith(`${path}.`))
  return Object.fromEntries(found.map(([param, message]) => [param.slice(path.length + 1), message]))
}
