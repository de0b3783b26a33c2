/** Returns the messages below `path`, by relative names. The message of `path` itself has an empty name. */
export function messagesUnder(messages: Record<string, string>, path: string): Record<string, string> {
  const found = Object.entries(messages).filter(([param]) => param === path || param.startsWith(`${path}.`))
  return Object.fromEntries(found.map(([param, message]) => [param.slice(path.length + 1), message]))
}
