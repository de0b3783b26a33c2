export type Input = {
  /** The path as typed or found, the URL, or `-`. */
  label: string
  /** The file name without its extension. The names of result files start with it. */
  name: string
  ending: string
  /** The path from a folder argument to the file's folder. Empty if the file itself is an argument. */
  folder: string
} & ({ kind: 'file'; path: string } | { kind: 'url'; url: string } | { kind: 'stdin'; path: string })

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)
