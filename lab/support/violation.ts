/** A file of the project; `path` is relative to it, with `/`. */
export type SourceFile = { path: string; text: string }

/** A rule that a file breaks: where, what stands there, and what may stand there instead. */
export type Violation = { file: string; line: number; what: string; allowed: string }

/** A violation as a failing test shows it. */
export function describeViolation({ file, line, what, allowed }: Violation): string {
  return `${file}:${line} ${what}; ${allowed}`
}
