import { Button, FileButton, Group, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { messageOf } from '../../../api/call-error.ts'
import { textWatermark } from '../earlier/earlier-call.ts'
import { useEarlierCalls } from '../earlier/earlier-context.ts'
import { UploadProgress } from '../source/upload-progress.tsx'
import { useUpload } from '../source/use-upload.ts'
import { text } from '../text.ts'
import { NEW_STAMP, stampValues } from './stamp.ts'
import { StampDialog } from './stamp-dialog.tsx'

type Props = {
  label: string
  title: string
  withAsterisk: boolean
  error: string | undefined
  size: 'xs'
  value: string
  onChange: (source: string) => void
}

export function ImageField({ value, onChange, error, ...props }: Props) {
  const upload = useUpload()
  const earlier = useEarlierCalls()
  const [isDialogOpen, { open, close }] = useDisclosure(false)
  const watermark = textWatermark(earlier.calls, value)
  const send = (file: File | null) => {
    if (file !== null) upload.send(file, { onSuccess: ({ source }) => onChange(source) })
  }
  return (
    <>
      {watermark === undefined ? (
        <TextInput
          {...props}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          error={error ?? (upload.error === null ? undefined : messageOf(upload.error))}
        />
      ) : (
        <TextInput {...props} label={text.text} value={String(watermark.body['text'])} readOnly error={error} />
      )}
      <Group gap="xs" mt={6}>
        <FileButton onChange={send} accept="image/png,image/jpeg,image/webp,image/gif">
          {(button) => (
            <Button {...button} variant="default" size="compact-xs" disabled={upload.isPending}>
              {text.uploadAnImage}
            </Button>
          )}
        </FileButton>
        <Button variant="default" size="compact-xs" onClick={open}>
          {watermark === undefined ? text.createATextWatermark : text.editTheTextWatermark}
        </Button>
      </Group>
      <UploadProgress upload={upload} />
      <StampDialog
        opened={isDialogOpen}
        values={watermark === undefined ? NEW_STAMP : stampValues(watermark.body)}
        onClose={close}
        onCreated={(body, { source, expires_at: expiresAt }) => {
          onChange(`$${earlier.saveText(body, { source, expiresAt }, watermark?.variable)}`)
          close()
        }}
      />
    </>
  )
}
