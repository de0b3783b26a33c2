import { Fragment } from 'react'

/** A name that can break into lines after a separator, so that a table fits into a narrow window. */
export function Breakable({ text, after }: { text: string; after: '.' | '_' }) {
  const [first, ...others] = text.split(after)
  return (
    <>
      {first}
      {others.map((part) => (
        <Fragment key={part}>
          {after}
          <wbr />
          {part}
        </Fragment>
      ))}
    </>
  )
}
