/** The name of a schema in the description: `images/process` is `ImagesProcess`, `remove_background` `RemoveBackground`. */
export function schemaName(name: string): string {
  return name.replaceAll(/(?:^|[/_.])([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
