/** The removed parts of a file: pages, and the annotations that stood on them alone. */
export type Gone = { pages: ReadonlySet<number>; annotations: ReadonlySet<number> }
