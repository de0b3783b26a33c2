/** Random choices that depend only on a seed. A test prints its seed if the test fails. */
export type Random = {
  /** Returns a number from 0 (included) to 1 (excluded). */
  number: () => number
  integer: (minimum: number, maximum: number) => number
  /** Returns an integer from 0 (included) to `end` (excluded). */
  below: (end: number) => number
  chance: (probability: number) => boolean
  pick: <Item>(items: readonly [Item, ...Item[]]) => Item
}

/** Creates a generator (mulberry32). Its 32 bits of state are enough for tests. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(number() * end)
  return {
    number,
    integer: (minimum, maximum) => minimum + below(maximum - minimum + 1),
    below,
    chance: (probability) => number() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
  }
}
