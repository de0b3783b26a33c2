export type Input = {
  /** The displayed name: the path as typed or found, the URL, or `-`. */
  label: string
  /** The file name without its extension. The names of result files start with it. */
  name: string
  ending: string
  /** If the file was found in a folder of the command line, its path below that folder. Otherwise empty. */
  folder: string
} & ({ kind: 'file'; path: string } | { kind: 'url'; url: string } | { kind: 'stdin'; path: string })

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)
