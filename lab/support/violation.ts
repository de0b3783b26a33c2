/** A file of the project; `path` is relative to it, with `/`. */
export type SourceFile = { path: string; text: string }

/** A broken rule: the location, the code, and the allowed code. */
export type Violation = { file: string; line: number; what: string; allowed: string }

/** A violation as a failing test shows it. */
export function describeViolation({ file, line, what, allowed }: Violation): string {
  return `${file}:${line} ${what}; ${allowed}`
}
