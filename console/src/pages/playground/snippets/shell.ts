/** Returns text as a shell word, quoted if necessary. `names` are shell variables, which stay unquoted. */
export function shellWord(text: string, names: ReadonlySet<string> = new Set()): string {
  const variable = [...names].toSorted((one, other) => other.length - one.length).find((name) => text.includes(name))
  if (variable === undefined) return quoted(text)
  const [before = '', ...after] = text.split(variable)
  const rest = after.join(variable)
  return `${before === '' ? '' : shellWord(before, names)}"${variable}"${rest === '' ? '' : shellWord(rest, names)}`
}

/** Control characters. A terminal could interpret a pasted control character, such as Ctrl-C, even inside quotes. */
const CONTROLS = /(?!\n)\p{Cc}/gu

function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (text.search(CONTROLS) === -1) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  const escaped = text
    .replaceAll(/['\\]/g, String.raw`\$&`)
    .replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `$'${escaped}'`
}
