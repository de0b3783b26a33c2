import { Group, TextInput } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

/** A text to be copied away. */
export function SecretField({ label, value }: { label: string; value: string }) {
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <TextInput
        label={label}
        value={value}
        readOnly
        flex={1}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={value} label={`Copy`} />
    </Group>
  )
}
