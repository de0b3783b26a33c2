export function memoize<Made>(make: () => Made): { get: () => Made; readonly made: Made | undefined } {
  let made: Made | undefined
  return {
    get: () => (made ??= make()),
    get made() {
      return made
    },
  }
}
