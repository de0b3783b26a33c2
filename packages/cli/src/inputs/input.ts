export type Input = {
  /** The name to display: the path as it was typed or found, the URL, or `-`. */
  label: string
  /** The file name without its extension. The name of each result file starts with it. */
  name: string
  ending: string
  /** The path from the folder on the command line to the file's folder. Empty for a file on the command line. */
  folder: string
} & ({ kind: 'file'; path: string } | { kind: 'url'; url: string } | { kind: 'stdin'; path: string })

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)
