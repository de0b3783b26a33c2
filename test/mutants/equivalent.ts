/** Mutants that change nothing for anybody, each by its file, its line as it is and as it becomes, and why. */
export const EQUIVALENT: readonly { path: string; was: string; now: string; because: string }[] = []
