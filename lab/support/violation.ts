/** The text of a source file. `path` is relative to the project, with `/`. */
export type SourceFile = { path: string; text: string }

export type Violation = { file: string; line: number; what: string; allowed: string }

export function describeViolation({ file, line, what, allowed }: Violation): string {
  return `${file}:${line} ${what}; ${allowed}`
}
