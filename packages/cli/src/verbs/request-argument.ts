import { InvalidArgumentError } from 'commander'

export function requestArgument(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be the number of a request, such as 17.')
}
