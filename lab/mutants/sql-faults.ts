import type { Fault } from './code-faults.ts'

/** Matches a condition of a statement. The condition ends at the next condition or clause, line end, or bracket. */
const CONDITION = String.raw`(?:(?! and | or | order by | limit | for (?:no key )?update| returning | group by )[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))+`

const swap = (name: string, pattern: RegExp, pairs: Record<string, string>): Fault => ({
  name,
  pattern,
  replace: (found = '') => pairs[found] ?? found,
})

/** Changes of SQL statements. In the searched statements, `$` replaces each character of `${…}`. */
export const SQL_FAULTS: readonly Fault[] = [
  {
    name: 'condition removed',
    pattern: new RegExp(String.raw`(?<!between [^\n]*) and ${CONDITION}`, 'g'),
    replace: () => '',
  },
  {
    name: 'condition removed',
    pattern: new RegExp(String.raw`\bwhere (${CONDITION}) and `, 'g'),
    replace: () => 'where ',
  },
  swap('logic', / or /g, { ' or ': ' and ' }),
  // No test can hit the exact microsecond, so skip comparisons with the clock.
  swap('bound', /(?<!now\(\)) (?:<|<=|>|>=) (?!now\(\))/g, {
    ' < ': ' <= ',
    ' <= ': ' < ',
    ' > ': ' >= ',
    ' >= ': ' > ',
  }),
  swap('arithmetic', / [+-] /g, { ' + ': ' - ', ' - ': ' + ' }),
  swap('order', / desc\b/g, { ' desc': '' }),
  { name: 'order', pattern: /\border by [\w.]+(?! desc|[\w.(])/g, replace: (found) => `${found} desc` },
  { name: 'lock removed', pattern: / for (?:no key )?update(?: of \w+)?(?: skip locked)?/g, replace: () => '' },
  swap('existence', /\b(?:not exists|(?<!not )exists)\b/g, { 'not exists': 'exists', exists: 'not exists' }),
  swap('null', /\bis (?:not )?null\b/g, { 'is null': 'is not null', 'is not null': 'is null' }),
  swap('minimum or maximum', /\b(?:greatest|least)(?=\()/g, { greatest: 'least', least: 'greatest' }),
  swap('constant', /\b(?:true|false)\b/g, { true: 'false', false: 'true' }),
  { name: 'constant', pattern: /(?<= [=<>+-]=? |then |else )\d+\b/g, replace: (found) => String(Number(found) + 1) },
  swap('distinct', /\bdistinct (?!from|on)/g, { 'distinct ': '' }),
]
