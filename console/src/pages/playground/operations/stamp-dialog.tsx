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
import { filled } from '../../../components/field-checks.ts'
import { Problem } from '../../../components/problem.tsx'
import type { StampValues } from './stamp.ts'
import { ALIGNMENTS, FONTS, stampBody } from './stamp.ts'

type Props = {
  opened: boolean
  values: StampValues
  onClose: () => void
  onDrawn: (body: Record<string, unknown>, upload: Upload) => void
}

export function StampDialog({ opened, values, onClose, onDrawn }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Create a text watermark">
      <StampForm values={values} onClose={onClose} onDrawn={onDrawn} />
    </Modal>
  )
}

function StampForm({ values: initialValues, onClose, onDrawn }: Omit<Props, 'opened'>) {
  const form = useForm({ initialValues, validate: { text: filled('Enter a text.') } })
  const draw = useMutation({
    mutationFn: async (values: StampValues) => {
      const body = stampBody(values)
      onDrawn(body, await call<Upload>('POST', '/stamps', { body }))
    },
  })
  const problems = messagesByField(draw.error)
  const field = (name: string) => ({ ...form.getInputProps(name), error: form.errors[name] ?? problems[name] })
  const color = (name: string, label: string) => (
    <ColorInput label={label} {...field(name)} withEyeDropper={false} popoverProps={{ withinPortal: true }} />
  )
  const number = (name: string, label: string) => (
    <NumberInput label={label} allowDecimal={false} clampBehavior="none" {...field(name)} />
  )
  const { hasOutline, hasShadow } = form.values
  return (
    <form
      noValidate
      onSubmit={(event) => {
        // In React, a submit event in a dialog also reaches the form around the dialog.
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
          {color('color', 'Color')}
          {number('opacity', 'Opacity in percent')}
          {number('rotation', 'Rotation in degrees')}
          <Input.Wrapper
            label="Alignment"
            labelElement="div"
            error={problems['align']}
            style={{ gridColumn: '1 / -1' }}
          >
            <SegmentedControl fullWidth aria-label="Alignment" data={ALIGNMENTS} {...form.getInputProps('align')} />
          </Input.Wrapper>
        </SimpleGrid>
        <Switch label="Outline" {...form.getInputProps('hasOutline', { type: 'checkbox' })} />
        {hasOutline && (
          <Fieldset aria-label="Outline" p="sm">
            <SimpleGrid cols={2} spacing="sm">
              {color('outline.color', 'Outline color')}
              {number('outline.width', 'Outline width')}
            </SimpleGrid>
          </Fieldset>
        )}
        <Switch label="Shadow" {...form.getInputProps('hasShadow', { type: 'checkbox' })} />
        {hasShadow && (
          <Fieldset aria-label="Shadow" p="sm">
            <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
              {color('shadow.color', 'Shadow color')}
              {number('shadow.opacity', 'Shadow opacity')}
              {number('shadow.x', 'Shadow x')}
              {number('shadow.y', 'Shadow y')}
              {number('shadow.blur', 'Blur')}
            </SimpleGrid>
          </Fieldset>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={draw.isPending}>
            Create watermark
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
