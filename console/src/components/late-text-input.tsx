import type { TextInputProps } from '@mantine/core'
import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useState } from 'react'

type Props = Omit<TextInputProps, 'onChange'> & { value: string; onLate: (value: string) => void }

/** A text field that tells what was typed once the typing pauses. */
export function LateTextInput({ value, onLate, ...props }: Props) {
  const [typed, setTyped] = useState(value)
  const tell = useDebouncedCallback(onLate, 400)
  useEffect(() => setTyped(value), [value])
  return (
    <TextInput
      {...props}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        tell(event.currentTarget.value)
      }}
    />
  )
}
