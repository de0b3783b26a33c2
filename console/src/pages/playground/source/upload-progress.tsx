import { Button, Group, Progress, Text } from '@mantine/core'
import { formatBytes } from '@mediamill/contract/lib/format-text'
import { text } from '../text.ts'
import type { useUpload } from './use-upload.ts'

type Props = { upload: ReturnType<typeof useUpload>; onCancel?: () => void }

/** The progress of an upload, and a button that cancels it. Shows nothing if no upload is running. */
export function UploadProgress({ upload: { isPending, file, sentBytes, cancel }, onCancel }: Props) {
  if (!isPending || file === undefined) return null
  const percent = file.size === 0 ? 100 : Math.min(100, Math.floor((100 * sentBytes) / file.size))
  return (
    <Group gap="sm" mt="xs" wrap="nowrap">
      <Progress value={percent} flex={1} aria-label={text.progressOfTheUpload} />
      <Text size="xs" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
        {text.percentOf(percent, formatBytes(file.size))}
      </Text>
      <Button
        variant="default"
        size="compact-xs"
        onClick={() => {
          cancel()
          onCancel?.()
        }}
      >
        {text.cancelUpload}
      </Button>
    </Group>
  )
}
