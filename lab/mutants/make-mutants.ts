import { stripTypeScriptTypes } from 'node:module'
import { lineAt, maskSource } from '../support/source-text.ts'
import type { SourceFile } from '../support/violation.ts'
import type { Fault } from './code-faults.ts'
import { CODE_FAULTS } from './code-faults.ts'
import { SQL_FAULTS } from './sql-faults.ts'

/** A changed file. `was` and `now` are the changed line without indent. `nth` distinguishes equal changes. */
export type Mutant = {
  path: string
  line: number
  at: number
  nth: number
  fault: string
  was: string
  now: string
  text: string
}

export function mutantsOf({ path, text }: SourceFile): Mutant[] {
  const code = maskSource(withoutTypes(text))
  const statements = sqlIn(text)
  const found = [...placesOf(code, CODE_FAULTS, text), ...placesOf(statements, SQL_FAULTS, text)]
  const made = found.flatMap(({ fault, start, end, replace }): Omit<Mutant, 'nth'>[] => {
    const changed = text.slice(0, start) + replace + text.slice(end)
    const [was, now] = [lineOf(text, start), lineOf(changed, start)]
    return was === now || /^(?:import|export (?:type|\{))/.test(was) || !isProgram(changed)
      ? []
      : [{ path, line: lineAt(text, start), at: firstCharacter(text, start), fault, was, now, text: changed }]
  })
  const sorted = [...new Map(made.map((one) => [one.text, one])).values()].toSorted((a, b) => a.line - b.line)
  const counts = new Map<string, number>()
  return sorted.map((one) => {
    const change = `${one.was} → ${one.now}`
    const nth = (counts.get(change) ?? 0) + 1
    counts.set(change, nth)
    return { ...one, nth }
  })
}

/** Returns the name of a mutant. It has no line number, because the number changes if code above changes. */
export const idOf = ({ path, was, now, nth }: Pick<Mutant, 'path' | 'was' | 'now' | 'nth'>) =>
  `${path} ${was} → ${now}${nth === 1 ? '' : ` (${nth})`}`

type Position = { fault: string; start: number; end: number; replace: string }

function placesOf(searched: string, faults: readonly Fault[], text: string): Position[] {
  return faults.flatMap(({ name, pattern, replace }) =>
    [...searched.matchAll(pattern)].map((match): Position => {
      const replaced = replace(...match)
      const [start, end] = [match.index, match.index + match[0].length]
      return { fault: name, start, end, replace: replaced === match[0] ? text.slice(start, end) : replaced }
    }),
  )
}

/** Replaces types by spaces, so that the positions of all other code stay the same. */
function withoutTypes(text: string): string {
  const stripped = stripTypeScriptTypes(text)
  if (stripped.length !== text.length) throw new Error('stripping types has moved the text')
  return stripped
}

function isProgram(text: string): boolean {
  try {
    stripTypeScriptTypes(text)
    return true
  } catch {
    return false
  }
}

/** Returns a source with only its SQL. Spaces replace other code, and `$` replaces each character of `${…}`. */
export function sqlIn(text: string): string {
  const code = maskSource(withoutTypes(text))
  const kept = code.replaceAll(/[^\n]/g, ' ').split('')
  for (const match of code.matchAll(/\b(?:sql|tx)\s*`/g)) {
    let depth = 0
    for (let at = match.index + match[0].length; at < code.length; at += 1) {
      if (depth === 0 && code.charAt(at) === '`') break
      if (code.startsWith('${', at) || (depth > 0 && code.charAt(at) === '{' && code.charAt(at - 1) !== '$')) depth += 1
      const isFilled = depth > 0
      if (depth > 0 && code.charAt(at) === '}') depth -= 1
      if (text.charAt(at) !== '\n') kept[at] = isFilled ? '$' : text.charAt(at)
    }
  }
  return kept.join('').replaceAll(/--[^\n]*/g, (comment) => ' '.repeat(comment.length))
}

/** Returns the position after the indent. A change of a whole line starts there. */
function firstCharacter(text: string, at: number): number {
  return at + (/^\s*/.exec(text.slice(at))?.[0].length ?? 0)
}

function lineOf(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return text.slice(start, end === -1 ? text.length : end).trim()
}
