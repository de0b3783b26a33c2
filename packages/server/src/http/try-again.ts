export const tryAgainIn = (seconds: number): string =>
  `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
