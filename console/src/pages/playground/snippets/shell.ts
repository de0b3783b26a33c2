/** Returns text as a shell word, quoted if necessary. `names` are shell variables, which stay unquoted. */
export function shellWord(text: string, names: ReadonlySet<string> = new Set()): string {
  const variable = [...names].toSorted((one, other) => other.length - one.length).find((name) => text.includes(name))
  if (variable === undefined) {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
  }
  const [before = '', ...after] = text.split(variable)
  const rest = after.join(variable)
  return `${before === '' ? '' : shellWord(before, names)}"${variable}"${rest === '' ? '' : shellWord(rest, names)}`
}
