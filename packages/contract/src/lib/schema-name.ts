/** Returns a schema's OpenAPI name: `ImagesProcess` for `images/process`. */
export function schemaName(name: string): string {
  return name.replaceAll(/(?:^|[/_.])([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
