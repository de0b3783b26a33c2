/** Returns the last sentence of an error message, such as `Try again in 1 second.` */
export const tryAgainIn = (seconds: number): string =>
  `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`
