export type RemovedObjects = { pages: ReadonlySet<number>; annotations: ReadonlySet<number> }
