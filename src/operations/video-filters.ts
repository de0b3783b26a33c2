/** One filter of a libav graph; names and arguments are quoted in one place, where the graph is built. */
export type VideoFilter = { name: string; args: Record<string, number | string> }
