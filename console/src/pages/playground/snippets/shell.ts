/** Returns text as a word of the shell, quoted if necessary. Names in `names` remain variables. */
export function shellWord(text: string, names: ReadonlySet<string> = new Set()): string {
  const variable = [...names].toSorted((one, other) => other.length - one.length).find((name) => text.includes(name))
  if (variable === undefined) {
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
  }
  const [before = '', ...after] = text.split(variable)
  const rest = after.join(variable)
  return `${before === '' ? '' : shellWord(before, names)}"${variable}"${rest === '' ? '' : shellWord(rest, names)}`
}
