import { ColorInput, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import type { CatalogParameter } from '../../../api/objects.ts'
import { formatName } from '../../../components/format.ts'
import { textOf } from '../../../components/text-of.ts'
import { shared } from '../../../text.ts'
import { text } from '../text.ts'
import { ImageField } from './image-field.tsx'
import { isLook } from './look-images.ts'
import { LookPicker } from './look-picker.tsx'

type Props = {
  name: string
  parameter: CatalogParameter
  value: unknown
  problem: string | undefined
  /** Called with the new value. `undefined` removes the parameter. */
  onChange: (value: unknown) => void
}

export function ParameterField({ name, parameter, value, problem, onChange }: Props) {
  const common = {
    label: formatName(name),
    title: parameter.description,
    withAsterisk: parameter.required,
    error: problem,
    size: 'xs' as const,
  }
  if (parameter.enum !== undefined) {
    const names = parameter.enum.map(String)
    if (names.every(isLook)) return <LookPicker names={names} value={textOf(value)} onChange={onChange} />
    return (
      <Select
        {...common}
        data={names}
        placeholder={parameter.default === undefined ? shared.none : textOf(parameter.default)}
        value={value === undefined ? null : textOf(value)}
        onChange={(chosen) => onChange(chosen ?? undefined)}
      />
    )
  }
  if (parameter.type === 'boolean') {
    const { withAsterisk: _, ...labeled } = common
    return (
      <Switch
        {...labeled}
        mt={4}
        checked={value === undefined ? parameter.default === true : value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  }
  if (parameter.type === 'integer' || parameter.type === 'number') {
    const { minimum, maximum } = parameter
    return (
      <NumberInput
        {...common}
        {...(minimum === undefined ? {} : { min: minimum })}
        {...(maximum === undefined ? {} : { max: maximum })}
        placeholder={parameter.default === undefined ? shared.none : textOf(parameter.default)}
        clampBehavior="none"
        allowDecimal={parameter.type === 'number'}
        value={typeof value === 'number' ? value : ''}
        onChange={(typed) => onChange(typeof typed === 'number' ? typed : undefined)}
      />
    )
  }
  if (name.endsWith('color')) {
    const hex = typeof value === 'string' ? value : ''
    return (
      <ColorInput
        {...common}
        format={hex.replace('#', '').length === 8 ? 'hexa' : 'hex'}
        placeholder={shared.none}
        value={hex === '' || hex.startsWith('#') ? hex : `#${hex}`}
        onChange={(color) => onChange(color === '' ? undefined : color.replace('#', ''))}
        eyeDropperButtonProps={{ 'aria-label': text.pickAColor }}
        swatches={['#1f7a5c', '#000000', '#ffffff', '#d9695f', '#3a78d8', '#d9a21b']}
        popoverProps={{ withinPortal: true }}
      />
    )
  }
  if (name === 'image_url')
    return <ImageField {...common} value={typeof value === 'string' ? value : ''} onChange={onChange} />
  return (
    <TextInput
      {...common}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
    />
  )
}
