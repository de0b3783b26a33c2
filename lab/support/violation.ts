/** A file of the project. `path` is relative to the project, with `/`. */
export type SourceFile = { path: string; text: string }

/** A violation of a rule: the location, the code found, and the code that is allowed. */
export type Violation = { file: string; line: number; what: string; allowed: string }

/** Returns the text of a violation for a failing test. */
export function describeViolation({ file, line, what, allowed }: Violation): string {
  return `${file}:${line} ${what}; ${allowed}`
}
