/** The removed objects: pages, and the annotations that only these pages show. */
export type RemovedObjects = { pages: ReadonlySet<number>; annotations: ReadonlySet<number> }
