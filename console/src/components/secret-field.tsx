import { Group, Textarea } from '@mantine/core'
import { shared } from '../text.ts'
import { CopyButton } from './copy-button.tsx'

/** A secret with a copy button. A long secret wraps, so that all of it is visible. */
export function SecretField({ label, value }: { label: string; value: string }) {
  return (
    <Group align="flex-end" gap="xs" wrap="nowrap">
      <Textarea
        label={label}
        value={value}
        readOnly
        autosize
        minRows={1}
        flex={1}
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: 1.6, overflowWrap: 'anywhere' },
        }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={value} label={shared.copy} />
    </Group>
  )
}
