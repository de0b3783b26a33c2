/** Returns the messages of `path` and its fields, by names relative to `path`. The name of `path` itself is empty. */
export function messagesUnder(messages: Record<string, string>, path: string): Record<string, string> {
  const found = Object.entries(messages).filter(([param]) => param === path || param.startsWith(`${path}.`))
  return Object.fromEntries(found.map(([param, message]) => [param.slice(path.length + 1), message]))
}
