/** JSON whose shape a check asserts: nothing of it is trusted, so that it has no type. */
// oxlint-disable-next-line typescript/no-explicit-any -- what a stranger's service answers is looked at field by field
export type Json = any
