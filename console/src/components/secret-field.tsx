import { Button, CopyButton as Copy, Group, Textarea } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { shared } from '../text.ts'

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
      <CopyButton text={value} />
    </Group>
  )
}

function CopyButton({ text }: { text: string }) {
  return (
    <Copy value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="compact-sm"
          onClick={copy}
          leftSection={copied ? <IconCheck size={14} aria-hidden="true" /> : <IconCopy size={14} aria-hidden="true" />}
        >
          {copied ? shared.copied : shared.copy}
        </Button>
      )}
    </Copy>
  )
}
