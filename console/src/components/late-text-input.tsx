import type { TextInputProps } from '@mantine/core'
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'

type Props = Omit<TextInputProps, 'onChange'> & { value: string; onLate: (value: string) => void }

/** A text field that reports its value when the user pauses or leaves it, so that the URL changes rarely. */
export function LateTextInput({ value, onLate, ...props }: Props) {
  const [typed, setTyped] = useState(value)
  const report = useDebouncedCallback(onLate, 400)
  const [previous, setPrevious] = useState(value)
  if (previous !== value) {
    setPrevious(value)
    setTyped(value)
  }
  return (
    <TextInput
      {...props}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        report(event.currentTarget.value)
      }}
      onBlur={() => report.flush()}
    />
  )
}
