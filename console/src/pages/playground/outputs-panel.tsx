import { ActionIcon, Button, Group, NumberInput, Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { Panel } from '../../components/panel.tsx'
import { shared } from '../../text.ts'
import { endpointNamed } from './endpoints.ts'
import type { Operation, Output } from './recipe.ts'
import { text } from './text.ts'
import type { useRecipe } from './use-recipe.ts'

type Props = { recipe: ReturnType<typeof useRecipe>; problems: Record<string, string> }

const MAX_OUTPUTS = 20

/** If the list is empty, the request makes one file. */
export function OutputsPanel({ recipe: { draft, change }, problems }: Props) {
  const { outputs } = draft
  const formats = [...endpointNamed(draft.endpoint).formats, 'avif']
  const set = (index: number, part: Partial<Output>) =>
    change((now) => ({ outputs: now.outputs.map((one, at) => (at === index ? { ...one, ...part } : one)) }))
  const add = () =>
    change((now) => ({ outputs: [...now.outputs, { name: freeName(now.outputs), format: formats[0] ?? 'jpg' }] }))
  return (
    <Panel title={text.severalFiles} about={text.severalFilesAbout}>
      {outputs.map((output, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- an output has no identity but its position
        <Group
          key={index}
          gap="xs"
          align="flex-end"
          wrap="nowrap"
          mb="sm"
          role="group"
          aria-label={text.fileNumber(index + 1)}
        >
          <SimpleGrid cols={3} spacing="xs" flex={1} style={{ alignItems: 'end' }}>
            <TextInput
              label={shared.name}
              value={output.name ?? ''}
              onChange={({ currentTarget: { value } }) => set(index, { name: value === '' ? undefined : value })}
              error={problems[`outputs.${index}.name`] ?? problems[`outputs.${index}`]}
            />
            <Select
              label={text.format}
              data={formats}
              value={output.format ?? formats[0] ?? null}
              onChange={(format) => set(index, { format: format ?? undefined })}
              allowDeselect={false}
              error={problems[`outputs.${index}.format`]}
            />
            <NumberInput
              label={text.longestSide}
              min={1}
              max={20_000}
              allowDecimal={false}
              suffix={text.px}
              value={sideOf(output) ?? ''}
              onChange={(side) => set(index, { operations: withSide(output, side === '' ? undefined : Number(side)) })}
              error={problems[`outputs.${index}.operations.${output.operations?.findIndex(isBox) ?? 0}.width`]}
            />
          </SimpleGrid>
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label={text.removeFile(index + 1)}
            onClick={() => change((now) => ({ outputs: now.outputs.filter((_, at) => at !== index) }))}
          >
            <IconTrash size={16} aria-hidden="true" />
          </ActionIcon>
        </Group>
      ))}
      {problems['outputs'] !== undefined && (
        <Text size="sm" c="red">
          {problems['outputs']}
        </Text>
      )}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden="true" />}
        disabled={outputs.length >= MAX_OUTPUTS}
        onClick={add}
      >
        {text.addAFile}
      </Button>
    </Panel>
  )
}

function freeName(outputs: readonly Output[]): string {
  const names = new Set(outputs.map(({ name }) => name))
  let count = outputs.length + 1
  while (names.has(`file-${count}`)) count += 1
  return `file-${count}`
}

const isBox = ({ type, width, height }: Operation) => type === 'resize' && width === height

function sideOf({ operations = [] }: Output): number | undefined {
  const side = operations.find(isBox)?.['width']
  return typeof side === 'number' ? side : undefined
}

/** Sets both sides of the box that an output must fit in. The service reports an undefined side as missing. */
function withSide({ operations = [] }: Output, side: number | undefined): Operation[] {
  const at = operations.findIndex(isBox)
  if (at === -1) return [{ type: 'resize', width: side, height: side }, ...operations]
  return operations.map((operation, index) => (index === at ? { ...operation, width: side, height: side } : operation))
}
