import { Button, Text } from '@mantine/core'
import { MAX_OUTPUTS } from '@mediamill/contract/domain/limits'
import { IconPlus } from '@tabler/icons-react'
import type { Catalog, MediaRequest } from '../../../api/objects.ts'
import { useApi } from '../../../api/use-api.ts'
import { Panel } from '../../../components/panel.tsx'
import { endpointNamed } from '../endpoints.ts'
import { messagesUnder } from '../messages-under.ts'
import type { Output } from '../recipe.ts'
import { text } from '../text.ts'
import type { useRecipe } from '../use-recipe.ts'
import { OutputCard } from './output-card.tsx'

type Props = {
  recipe: ReturnType<typeof useRecipe>
  problems: Record<string, string>
  /** The request of the last run. Undefined if the recipe has changed since. */
  request: MediaRequest | undefined
  previewUrl: string | undefined
}

/** The list of outputs. If the list is empty, the request makes one file. */
export function OutputsPanel({ recipe: { draft, change, sampleUrl }, problems, request, previewUrl }: Props) {
  const { outputs } = draft
  const { medium, formats } = endpointNamed(draft.endpoint)
  const catalog = useApi<Catalog>('/operations')
  const ofOutputs = {
    // A frame of a video or a page of a document is an image too.
    declared: catalog.data?.data.image.operations ?? {},
    earlier: draft.steps.map(({ operation }) => operation),
    previewUrl: medium === 'image' ? previewUrl : undefined,
    logoUrl: sampleUrl('logo.png'),
  }
  const failure = request?.status === 'failed' ? request.error : undefined
  const add = () =>
    change((now) => ({ outputs: [...now.outputs, { name: freeName(now.outputs), format: formats[0] ?? 'jpg' }] }))
  return (
    <Panel title={text.severalFiles} about={text.severalFilesAbout}>
      {outputs.map((output, index) => (
        <OutputCard
          // An output has no identity but its position. If the list gets longer or shorter, each card starts again, so
          // that no card shows the open or closed part of another output.
          key={`${outputs.length} ${index}`}
          number={index + 1}
          output={output}
          medium={medium}
          ofOutputs={ofOutputs}
          formats={[...formats, 'avif']}
          problems={messagesUnder(problems, `outputs.${index}`)}
          failure={failure?.output === (output.name ?? String(index)) ? failure.message : undefined}
          onChange={(part) =>
            change((now) => ({ outputs: now.outputs.map((one, at) => (at === index ? { ...one, ...part } : one)) }))
          }
          onRemove={() => change((now) => ({ outputs: now.outputs.filter((_, at) => at !== index) }))}
        />
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
