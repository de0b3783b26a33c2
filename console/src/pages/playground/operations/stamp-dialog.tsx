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
import { shared } from '../../../text.ts'
import { text } from '../text.ts'
import type { StampValues } from './stamp.ts'
import { ALIGNMENTS, FONTS, stampBody } from './stamp.ts'

type Props = {
  opened: boolean
  values: StampValues
  onClose: () => void
  onCreated: (body: Record<string, unknown>, upload: Upload) => void
}

export function StampDialog({ opened, values, onClose, onCreated }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.createATextWatermark}>
      <StampForm values={values} onClose={onClose} onCreated={onCreated} />
    </Modal>
  )
}

function StampForm({ values: initialValues, onClose, onCreated }: Omit<Props, 'opened'>) {
  const form = useForm({ initialValues, validate: { text: filled(text.enterAText) } })
  const draw = useMutation({
    mutationFn: async (values: StampValues) => {
      const body = stampBody(values)
      onCreated(body, await call<Upload>('POST', '/stamps', { body }))
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
        <Textarea label={text.text} required autosize minRows={1} maxRows={4} data-autofocus {...field('text')} />
        <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
          <Select label={text.font} data={FONTS} allowDeselect={false} {...field('font')} />
          {number('size', text.sizeInPixels)}
          {color('color', text.color)}
          {number('opacity', text.opacityInPercent)}
          {number('rotation', text.rotationInDegrees)}
          <Input.Wrapper
            label={text.alignment}
            labelElement="div"
            error={problems['align']}
            style={{ gridColumn: '1 / -1' }}
          >
            <SegmentedControl
              fullWidth
              aria-label={text.alignment}
              data={ALIGNMENTS}
              {...form.getInputProps('align')}
            />
          </Input.Wrapper>
        </SimpleGrid>
        <Switch label={text.outline} {...form.getInputProps('hasOutline', { type: 'checkbox' })} />
        {hasOutline && (
          <Fieldset aria-label={text.outline} p="sm">
            <SimpleGrid cols={2} spacing="sm">
              {color('outline.color', text.outlineColor)}
              {number('outline.width', text.outlineWidth)}
            </SimpleGrid>
          </Fieldset>
        )}
        <Switch label={text.shadow} {...form.getInputProps('hasShadow', { type: 'checkbox' })} />
        {hasShadow && (
          <Fieldset aria-label={text.shadow} p="sm">
            <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs">
              {color('shadow.color', text.shadowColor)}
              {number('shadow.opacity', text.shadowOpacity)}
              {number('shadow.x', text.shadowX)}
              {number('shadow.y', text.shadowY)}
              {number('shadow.blur', text.blur)}
            </SimpleGrid>
          </Fieldset>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {shared.cancel}
          </Button>
          <Button type="submit" loading={draw.isPending}>
            {text.createWatermark}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
