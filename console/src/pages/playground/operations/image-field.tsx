import { Button, FileButton, Group, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { messageOf } from '../../../api/call-error.ts'
import { useUpload } from '../source/use-upload.ts'
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

/** A picture to lay over: by its address, from this disk, or drawn from a text. */
export function ImageField({ value, onChange, error, ...props }: Props) {
  const upload = useUpload()
  const [drawing, { open, close }] = useDisclosure(false)
  const take = (file: File | null) => {
    if (file !== null) upload.mutate(file, { onSuccess: ({ source }) => onChange(source) })
  }
  return (
    <>
      <TextInput
        {...props}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error ?? (upload.error === null ? undefined : messageOf(upload.error))}
      />
      <Group gap="xs" mt={6}>
        <FileButton onChange={take} accept="image/png,image/jpeg,image/webp,image/gif">
          {(button) => (
            <Button {...button} variant="default" size="compact-xs" loading={upload.isPending}>
              Upload a picture
            </Button>
          )}
        </FileButton>
        <Button variant="default" size="compact-xs" onClick={open}>
          Draw a text
        </Button>
      </Group>
      <StampDialog
        opened={drawing}
        onClose={close}
        onDrawn={(source) => {
          onChange(source)
          close()
        }}
      />
    </>
  )
}
