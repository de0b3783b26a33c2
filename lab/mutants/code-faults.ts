/** A change of the code. `pattern` is matched against code without strings, comments, and types. */
export type Fault = { name: string; pattern: RegExp; replace: (...match: string[]) => string }

const swap = (name: string, pairs: Record<string, string>): Fault => ({
  name,
  pattern: new RegExp(
    `(?<= )(?:${Object.keys(pairs)
      .map((one) => one.replaceAll(/[|*+/]/g, '\\$&'))
      .join('|')})(?= )`,
    'g',
  ),
  replace: (found = '') => pairs[found] ?? found,
})

/** Matches calls that only write a log line, a metric, or a trace. Tests need not fail if such a call is removed. */
const LOGS = /\blog\b|\.note\(|span\?\./

export const CODE_FAULTS: readonly Fault[] = [
  swap('bound', { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }),
  swap('equality', { '===': '!==', '!==': '===' }),
  swap('logic', { '&&': '||', '||': '&&' }),
  swap('arithmetic', { '+': '-', '-': '+', '*': '/', '/': '*' }),
  { name: 'negation', pattern: /(?<![!\w)\]])!(?=[\w(])/g, replace: () => '' },
  { name: 'constant', pattern: /(?<![\w.$])(?:true|false)(?![\w:?])/g, replace: (found) => String(found === 'false') },
  // Skip constants whose name ends in `_MS`: their value is tuned, so tests should not depend on it.
  {
    name: 'constant',
    pattern: /(?<!_MS = (?:\d[\d_]* \* )*)(?<![\w.$-])\d[\d_]*(?![\w.])/g,
    replace: (found = '') => otherNumber(found),
  },
  {
    name: 'minimum or maximum',
    pattern: /\bMath\.(?:min|max)\b/g,
    replace: (found) => (found === 'Math.min' ? 'Math.max' : 'Math.min'),
  },
  {
    name: 'every or some',
    pattern: /\.(?:some|every)\(/g,
    replace: (found) => (found === '.some(' ? '.every(' : '.some('),
  },
  { name: 'default', pattern: /(?<=[\w)\]]) \?\? [\w.]+(?=[),;\s])/g, replace: () => '' },
  {
    name: 'guard removed',
    pattern: /^( *)if \(.+\) (?:return|throw|continue|break)\b.*$/gm,
    replace: (found = '') => (isWhole(found) ? '' : found),
  },
  {
    name: 'condition false',
    pattern: /^( *(?:\} else )?)if \((.+)\) \{$/gm,
    replace: (_found, before) => `${before}if (false) {`,
  },
  {
    name: 'call removed',
    pattern: /^ *(?:void |await )?[#\w]+(?:[?!]?\.[#\w]+)*\(.*\)$/gm,
    replace: (found = '') => (isWhole(found) && !LOGS.test(found) ? '' : found),
  },
  {
    name: 'assignment removed',
    pattern: /^ *(?!const |let |return )[#\w.]+(?:\[.+\])? [+*-]?= .+$/gm,
    replace: (found = '') => (isWhole(found) ? '' : found),
  },
  { name: 'await removed', pattern: /^( *)await (?=[\w#.]+\()/gm, replace: (_found, indent) => `${indent}void ` },
  {
    name: 'returned value removed',
    pattern: /^( *)return (?!undefined|await new)([^\n]+)$/gm,
    replace: removeReturnedValue,
  },
]

function otherNumber(written: string): string {
  const number = Number(written.replaceAll('_', ''))
  return Number.isNaN(number) ? written : String(number < 100 ? number + 1 : number * 2)
}

/** Replaces a returned value by `undefined as never`, which compiles, because `never` is assignable to every type. */
function removeReturnedValue(found = '', indent = '', value = ''): string {
  return isWhole(found) && value !== '' ? `${indent}return undefined as never` : found
}

function isWhole(line: string): boolean {
  let depth = 0
  for (const one of line) {
    if ('([{'.includes(one)) depth += 1
    if (')]}'.includes(one)) depth -= 1
    if (depth < 0) return false
  }
  return depth === 0 && !/[,.+&|?:=(]$|=>$/.test(line)
}
