/** Matches keywords after which a slash starts a regular expression. After other words, it may be a division. */
const BEFORE_A_REGEX = /^(?:return|typeof|case|in|of|do|else|await|yield|void|delete|throw|new)$/

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
/** Matches the text of a template literal, up to its end or to the next `${`. */
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)?/y
const WORD = /[\w$]+/y

/** Replaces comments, strings, templates, and regular expressions by spaces. Positions stay the same. */
export function maskSource(text: string): string {
  const masked: string[] = []
  /** A stack of open template literals. Each number counts the open braces in the current `${…}`. */
  const openBraces: number[] = []
  let at = 0
  let previous = ''

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const template = () => {
    const chunk = match(TEMPLATE_TEXT) ?? ''
    const opens = chunk.endsWith('${')
    const end = opens ? '${' : chunk.endsWith('`') ? '`' : ''
    masked.push(blank(chunk.slice(0, chunk.length - end.length)), end)
    at += chunk.length
    previous = opens ? '{' : '`'
    if (opens) openBraces.push(0)
  }

  while (at < text.length) {
    const comment = match(COMMENT)
    if (comment !== undefined) {
      masked.push(blank(comment))
      at += comment.length
      continue
    }
    const string = match(STRING)
    if (string !== undefined) {
      masked.push(string.slice(0, 1), blank(string.slice(1, -1)), string.slice(-1))
      at += string.length
      previous = string.slice(-1)
      continue
    }
    const regex = regexMayFollow(previous) ? match(REGEX) : undefined
    if (regex !== undefined) {
      masked.push(blank(regex))
      at += regex.length
      previous = '/'
      continue
    }
    const token = match(WORD) ?? text.slice(at, at + 1)
    masked.push(token)
    at += token.length
    if (token.trim() !== '') previous = token

    const depth = openBraces.at(-1)
    if (token === '`') template()
    else if (token === '}' && depth === 0) {
      openBraces.pop()
      template()
    } else if (depth !== undefined && (token === '{' || token === '}')) {
      openBraces[openBraces.length - 1] = depth + (token === '{' ? 1 : -1)
    }
  }
  return masked.join('')
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

function regexMayFollow(previous: string): boolean {
  if (previous === '' || BEFORE_A_REGEX.test(previous)) return true
  return /^[(,=:[!&|?{;+\-*%~^<>]$/.test(previous)
}
