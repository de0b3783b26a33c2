export type Input = {
  /** The displayed name: the path as it was typed or found, the URL, or `-`. */
  label: string
  /** The file name without its extension. Names of result files start with it. */
  name: string
  /** The file extension without its dot; an empty string if the file has no extension. */
  ending: string
  /** The subfolder below the folder on the command line. Empty for a file on the command line. */
  folder: string
} & ({ kind: 'file'; path: string } | { kind: 'url'; url: string } | { kind: 'stdin'; path: string })

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)
