/** One thing to work on, as it was named. */
export type Input = {
  /** As people know it: the path as typed or found, the URL, `-`. */
  label: string
  /** The name that results are called after, without its ending. */
  name: string
  /** The ending, without its dot; empty when it has none. */
  ending: string
  /** The subfolder of the named folder; empty for a named file. */
  folder: string
} & ({ kind: 'file'; path: string } | { kind: 'url'; url: string } | { kind: 'stdin'; path: string })

/** Whether a word is a URL of the web rather than a path. */
export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text)
