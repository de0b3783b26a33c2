import { Button, ColorInput, Group, Modal, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import { messagesByField } from '../../../api/call-error.ts'
import type { Upload } from '../../../api/objects.ts'
import { Problem } from '../../../components/problem.tsx'

type Props = { opened: boolean; onClose: () => void; onDrawn: (source: string) => void }

/** Draws a text as a picture that a watermark lays over. */
export function StampDialog({ opened, onClose, onDrawn }: Props) {
  const form = useForm({ initialValues: { text: '© ', size: 48, color: '#ffffff', opacity: 80, rotation: 0 } })
  const draw = useMutation({
    mutationFn: ({ color, ...others }: typeof form.values) =>
      call<Upload>('POST', '/stamps', { body: { type: 'text', ...others, color: color.replace('#', '') } }),
    onSuccess: ({ source }) => onDrawn(source),
  })
  const problems = messagesByField(draw.error)
  const field = (name: keyof typeof form.values) => ({ ...form.getInputProps(name), error: problems[name] })
  return (
    <Modal opened={opened} onClose={onClose} title="Draw a text as a watermark">
      <form
        onSubmit={(event) => {
          // The dialog stands inside the page's own form of operations.
          event.stopPropagation()
          form.onSubmit((values) => draw.mutate(values))(event)
        }}
      >
        <Stack gap="sm">
          {Object.keys(problems).length === 0 && <Problem error={draw.error} />}
          <TextInput label="Text" required maxLength={200} data-autofocus {...field('text')} />
          <SimpleGrid cols={2} spacing="sm">
            <NumberInput label="Size in pixels" min={4} allowDecimal={false} {...field('size')} />
            <ColorInput label="Colour" {...field('color')} withEyeDropper={false} />
            <NumberInput label="Opacity in percent" min={1} max={100} allowDecimal={false} {...field('opacity')} />
            <NumberInput label="Rotation in degrees" min={-360} max={360} {...field('rotation')} />
          </SimpleGrid>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={draw.isPending}>
              Draw it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
