/** JSON of unknown structure. Checks assert the fields that they use. */
// oxlint-disable-next-line typescript/no-explicit-any -- checks assert each field of a response
export type Json = any
