/** The OpenAPI name: `ImagesProcess` for `images/process`, `RemoveBackground` for `remove_background`. */
export function schemaName(name: string): string {
  return name.replaceAll(/(?:^|[/_.])([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
