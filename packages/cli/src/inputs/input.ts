/** One input of a command. */
export type Input = {
  /** The displayed name: the path as typed or found, the URL, or `-`. */
  label: string
  /** The file name without its extension. The names of results start with it. */
  name: string
  /** The file extension without its dot; an empty string if the file has no extension. */
  ending: string
  /** The subfolder below the folder that was given; empty for a file that was given. */
  folder: string
} & ({ kind: 'file'; path: string } | { kind: 'url'; url: string } | { kind: 'stdin'; path: string })

/** Returns whether a word is an http or https URL, and not a path. */
export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)
