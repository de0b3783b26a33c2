import { Button, CopyButton as Copy } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { shared } from '../text.ts'

export function CopyButton({ text, label = shared.copy }: { text: string; label?: string }) {
  return (
    <Copy value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          size="compact-sm"
          onClick={copy}
          leftSection={copied ? <IconCheck size={14} aria-hidden="true" /> : <IconCopy size={14} aria-hidden="true" />}
        >
          {copied ? shared.copied : label}
        </Button>
      )}
    </Copy>
  )
}
