import {
  Button,
  ColorInput,
  Fieldset,
  Group,
  Input,
  Modal,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { call } from '../../../api/call.ts'
import { messagesByField } from '../../../api/call-error.ts'
import type { Upload } from '../../../api/objects.ts'
import { Problem } from '../../../components/problem.tsx'
import { ALIGNMENTS, FONTS, NEW_STAMP, stampBody } from './stamp.ts'

type Props = { opened: boolean; onClose: () => void; onDrawn: (source: string) => void }

/** Draws a text as a picture that a watermark lays over. */
export function StampDialog({ opened, onClose, onDrawn }: Props) {
  const form = useForm({ initialValues: NEW_STAMP })
  const draw = useMutation({
    mutationFn: (values: typeof NEW_STAMP) => call<Upload>('POST', '/stamps', { body: stampBody(values) }),
    onSuccess: ({ source }) => onDrawn(source),
  })
  const problems = messagesByField(draw.error)
  const field = (name: string) => ({ ...form.getInputProps(name), error: problems[name] })
  const color = (name: string, label: string) => (
    <ColorInput label={label} {...field(name)} withEyeDropper={false} popoverProps={{ withinPortal: true }} />
  )
  const number = (name: string, label: string) => (
    <NumberInput label={label} allowDecimal={false} clampBehavior="none" {...field(name)} />
  )
  const { hasOutline, hasShadow } = form.values
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
          <Textarea label="Text" required autosize minRows={1} maxRows={4} data-autofocus {...field('text')} />
          <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
            <Select label="Font" data={FONTS} allowDeselect={false} {...field('font')} />
            {number('size', 'Size in pixels')}
            {color('color', 'Colour')}
            {number('opacity', 'Opacity in percent')}
            {number('rotation', 'Rotation in degrees')}
            <Input.Wrapper label="Lines keep" labelElement="div" error={problems['align']}>
              <SegmentedControl fullWidth aria-label="Lines keep" data={ALIGNMENTS} {...form.getInputProps('align')} />
            </Input.Wrapper>
          </SimpleGrid>
          <Switch label="Outline" {...form.getInputProps('hasOutline', { type: 'checkbox' })} />
          {hasOutline && (
            <Fieldset aria-label="Outline" p="sm">
              <SimpleGrid cols={2} spacing="sm">
                {color('outline.color', 'Outline colour')}
                {number('outline.width', 'Outline width')}
              </SimpleGrid>
            </Fieldset>
          )}
          <Switch label="Shadow" {...form.getInputProps('hasShadow', { type: 'checkbox' })} />
          {hasShadow && (
            <Fieldset aria-label="Shadow" p="sm">
              <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
                {color('shadow.color', 'Shadow colour')}
                {number('shadow.opacity', 'Shadow opacity')}
                {number('shadow.x', 'To the right')}
                {number('shadow.y', 'Below')}
                {number('shadow.blur', 'Blur')}
              </SimpleGrid>
            </Fieldset>
          )}
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
