// oxlint-disable-next-line typescript/no-explicit-any -- checks assert each field of a response
export type Json = any
