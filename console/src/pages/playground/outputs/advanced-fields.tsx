import { NumberInput, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { MIN_MAX_BYTES } from '@mediamill/contract/domain/limits'
import { METADATA_OF_OUTPUTS } from '@mediamill/contract/domain/media'
import { useState } from 'react'
import type { CatalogParameter } from '../../../api/objects.ts'
import { textOf } from '../../../components/text-of.ts'
import { messagesUnder } from '../messages-under.ts'
import { isObject } from '../operation.ts'
import { ParameterField } from '../operations/parameter-field.tsx'
import type { Output } from '../recipe.ts'
import { text } from '../text.ts'
import type { Advanced } from './advanced.ts'

type Props = {
  output: Output
  fields: readonly Advanced[]
  problems: Record<string, string>
  onChange: (part: Partial<Output>) => void
}

/** The fields that few outputs need. They are open if one of them is set or invalid. */
export function AdvancedFields({ fields, ...fieldProps }: Props) {
  const { output, problems } = fieldProps
  const [isOpened, setOpened] = useState(() => fields.some((field) => output[field] !== undefined))
  const isInvalid = fields.some((field) => Object.keys(messagesUnder(problems, field)).length > 0)
  const isOpen = isOpened || isInvalid
  return (
    <details open={isOpen} onToggle={({ currentTarget: { open } }) => setOpened(open)}>
      <Text component="summary" size="xs" c="dimmed" mt={6} w="fit-content" style={{ cursor: 'pointer' }}>
        {text.advanced}
      </Text>
      <SimpleGrid cols={2} spacing="sm" verticalSpacing="xs" pt={6}>
        {fields.includes('quality') && <QualityFields {...fieldProps} />}
        <Stack gap={8}>
          <DeclaredField name="max_bytes" {...fieldProps} />
          <DeclaredField name="max_bytes_resize" {...fieldProps} />
        </Stack>
        {fields.includes('metadata') && <DeclaredField name="metadata" {...fieldProps} />}
      </SimpleGrid>
      <DestinationField {...fieldProps} />
    </details>
  )
}

type FieldProps = Omit<Props, 'fields'>

function QualityFields({ output: { quality }, problems, onChange }: FieldProps) {
  const isAuto = quality === 'auto'
  return (
    <Stack gap={8}>
      <NumberInput
        label={text.quality}
        size="xs"
        min={1}
        max={100}
        clampBehavior="none"
        allowDecimal={false}
        placeholder={isAuto ? quality : text.defaultQuality}
        disabled={isAuto}
        value={typeof quality === 'number' ? quality : ''}
        onChange={(typed) => onChange({ quality: typeof typed === 'number' ? typed : undefined })}
        error={problems['quality']}
      />
      <Switch
        label={text.autoQuality}
        title={text.autoQualityDescription}
        size="xs"
        mt={4}
        checked={isAuto}
        onChange={({ currentTarget: { checked } }) => onChange({ quality: checked ? 'auto' : undefined })}
      />
    </Stack>
  )
}

function DestinationField({ output: { destination }, problems, onChange }: FieldProps) {
  const known = isObject(destination) ? destination : {}
  return (
    <TextInput
      label={text.destination}
      description={text.destinationDescription}
      size="xs"
      mt="xs"
      value={textOf(known['url'] ?? '')}
      onChange={({ currentTarget: { value } }) =>
        onChange({ destination: value === '' ? undefined : { ...known, url: value } })
      }
      error={problems['destination.url'] ?? problems['destination']}
    />
  )
}

type Declared = Exclude<Advanced, 'quality' | 'destination'>

const PARAMETERS: Record<Declared, CatalogParameter> = {
  max_bytes: { type: 'integer', minimum: MIN_MAX_BYTES, required: false, description: text.maxBytesDescription },
  max_bytes_resize: { type: 'boolean', required: false, description: text.maxBytesResizeDescription },
  metadata: {
    type: 'string',
    enum: [...METADATA_OF_OUTPUTS],
    default: METADATA_OF_OUTPUTS[0],
    required: false,
    description: text.metadataDescription,
  },
}

function DeclaredField({ name, output, problems, onChange }: FieldProps & { name: Declared }) {
  return (
    <ParameterField
      name={name}
      parameter={PARAMETERS[name]}
      value={output[name]}
      problem={problems[name]}
      onChange={(value) => onChange({ [name]: value === false ? undefined : value })}
    />
  )
}
