/** A source file. `path` is relative to the project, with `/`. */
export type SourceFile = { path: string; text: string }

/** A violation of a rule: its location, the code that violates the rule, and the code that is allowed. */
export type Violation = { file: string; line: number; what: string; allowed: string }

/** Describes a violation for the output of a failing test. */
export function describeViolation({ file, line, what, allowed }: Violation): string {
  return `${file}:${line} ${what}; ${allowed}`
}
