/**
 * Returns the name of a schema in the OpenAPI document: `ImagesProcess` for `images/process`, `RemoveBackground` for
 * `remove_background`.
 */
export function schemaName(name: string): string {
  return name.replaceAll(/(?:^|[/_.])([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
