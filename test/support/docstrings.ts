import { lineAt } from './source-text.ts'
import type { SourceFile } from './violation.ts'

/** A docstring's first sentence, and where it stands. */
export type Docstring = { path: string; line: number; exported: boolean; sentence: string; words: number }

const DOCSTRING = /\/\*\*(?!\/)((?:(?!\*\/)[\s\S])*)\*\/\s*(export\b)?/g

/** The docstrings of a file by their first sentences. */
export function docstringsOf({ path, text }: SourceFile): Docstring[] {
  return [...text.matchAll(DOCSTRING)].map((match) => {
    const sentence = firstSentence(match[1] ?? '')
    return {
      path,
      line: lineAt(text, match.index),
      exported: match[2] !== undefined,
      sentence,
      words: sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length,
    }
  })
}

/** Returns the text up to its first full stop, or to its first empty line. */
function firstSentence(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim())
  const start = lines.findIndex((line) => line !== '')
  const paragraph = lines.slice(Math.max(0, start))
  const end = paragraph.indexOf('')
  const whole = (end === -1 ? paragraph : paragraph.slice(0, end)).join(' ').trim()
  return /^.*?[.!?](?=\s|$)/.exec(whole)?.[0] ?? whole
}

/** The most words that a first sentence has (CONTRIBUTING, "House style"). */
const MAX_WORDS = 15

/** Phrases that a reader has to read twice. */
const STALE_WORDS = /\b(?:so many|so much|for so long|what of (?:it|them)|(?:is|are) to be)\b/i

/** Returns the docstrings that break the rules, among those that stand on exports of files that ship. */
export const brokenDocstrings = (files: readonly SourceFile[]): Docstring[] =>
  files
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(docstringsOf)
    .filter(({ exported, words, sentence }) => exported && (words > MAX_WORDS || STALE_WORDS.test(sentence)))

/** Says of a broken docstring where it stands and what is wrong with it. */
export const describeDocstring = ({ path, line, words, sentence }: Docstring): string =>
  words > MAX_WORDS
    ? `${path}:${line} begins with a sentence of ${words} words, at most ${MAX_WORDS} are allowed: ${sentence}`
    : `${path}:${line} says "${STALE_WORDS.exec(sentence)?.[0]}": ${sentence}`
