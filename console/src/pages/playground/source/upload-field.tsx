import { formatBytes } from '@mediamill/contract/lib/format-text'
import '@mantine/dropzone/styles.css'
import { Group, Input, Text } from '@mantine/core'
import { Dropzone } from '@mantine/dropzone'
import { IconCheck, IconUpload } from '@tabler/icons-react'
import { useId, useRef } from 'react'
import { messageOf } from '../../../api/call-error.ts'
import type { Medium } from '../endpoints.ts'
import { text } from '../text.ts'
import classes from './upload-field.module.css'
import { UploadProgress } from './upload-progress.tsx'
import { useUpload } from './use-upload.ts'

const WORDS: Record<Medium, string> = { image: text.anImage, video: text.aVideo, document: text.aPdf }

type Props = {
  medium: Medium
  source: string
  problem: string | undefined
  /** Called with an uploaded file. `previewUrl` is a local URL of the file if it is an image or a video. */
  onUploaded: (source: string, previewUrl: string | undefined) => void
}

export function UploadField({ medium, source, problem, onUploaded }: Props) {
  const upload = useUpload()
  const { file, isPending } = upload
  const dropzone = useRef<HTMLDivElement>(null)
  const send = ([chosen]: File[]) => {
    if (chosen === undefined) return
    upload.send(chosen, {
      onSuccess: (uploaded) =>
        onUploaded(uploaded.source, /^(?:image|video)\//.test(chosen.type) ? URL.createObjectURL(chosen) : undefined),
    })
  }
  const isUploaded = source.startsWith('upload:') && !isPending && upload.error === null
  const error = upload.error === null ? (isUploaded ? problem : undefined) : messageOf(upload.error)
  const errorId = useId()
  const UploadIcon = isUploaded ? IconCheck : IconUpload
  const title = isPending && file !== undefined ? text.uploadingFile(file.name) : text.dropFile(WORDS[medium])
  return (
    <div>
      <Dropzone
        ref={dropzone}
        className={classes['dropzone'] ?? ''}
        // The keyboard uses the input, which screen readers announce, and not the element around it.
        tabIndex={-1}
        activateOnKeyboard={false}
        onDrop={send}
        multiple={false}
        disabled={isPending}
        radius="md"
        p="lg"
        inputProps={{
          tabIndex: 0,
          'aria-label': text.chooseFile(WORDS[medium]),
          ...(error !== undefined && { 'aria-invalid': true, 'aria-describedby': errorId }),
        }}
      >
        <Group justify="center" gap="sm" wrap="nowrap" style={{ pointerEvents: 'none' }}>
          <UploadIcon size={22} aria-hidden="true" />
          <div>
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {isUploaded ? (file?.name ?? text.fileUploaded) : title}
            </Text>
            <Text size="xs" c="dimmed">
              {isUploaded && file !== undefined ? text.dropAnotherFile(formatBytes(file.size)) : text.uploadAbout}
            </Text>
          </div>
        </Group>
      </Dropzone>
      <UploadProgress upload={upload} onCancel={() => dropzone.current?.querySelector('input')?.focus()} />
      {error !== undefined && (
        <Input.Error id={errorId} mt={4}>
          {error}
        </Input.Error>
      )}
    </div>
  )
}
