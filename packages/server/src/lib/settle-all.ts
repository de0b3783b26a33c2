/** Runs `work` for every item, even if it fails for some. Returns the results, and the first failure, if any. */
export async function settleAll<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<{ done: Result[]; failure: PromiseRejectedResult | undefined }> {
  const outcomes = await Promise.allSettled(items.map(work))
  const done = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  return { done, failure: outcomes.find((outcome) => outcome.status === 'rejected') }
}
