import { Button, Grid, Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Template } from '../../api/objects.ts'
import { useSession } from '../../api/queries/session.ts'
import { useApi } from '../../api/use-api.ts'
import { CodeBlock } from '../../components/code-block.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Read } from '../../components/read.tsx'
import { When } from '../../components/when.tsx'
import { shared } from '../../text.ts'
import { endpointNamed } from '../playground/endpoints.ts'
import { recipeOf } from '../playground/recipe.ts'
import { CodePanel } from '../playground/snippets/code-panel.tsx'
import { definitionOf, exampleValues, filledIn } from './definition.ts'
import { readVersion } from './read-version.ts'
import { TemplateDialog } from './template-dialog.tsx'
import { text } from './text.ts'

const allTemplates = (
  <LinkButton to="/templates" variant="default">
    {text.allTemplates}
  </LinkButton>
)

export function TemplatePage() {
  const { name } = useParams({ from: '/templates/$name' })
  const { version } = readVersion(useSearch({ from: '/templates/$name' }))
  const path = `/templates/${encodeURIComponent(name)}`
  const newest = useApi<Template>(path)
  const shown = useApi<Template>(version === undefined ? path : `${path}@${version}`, { keep: true })
  return (
    <>
      {shown.data === undefined && <PageHeader title={name} actions={allTemplates} />}
      <Read of={shown}>
        {(template) => <Found template={template} versions={newest.data?.version ?? template.version} />}
      </Read>
    </>
  )
}

/** A found template. `versions` is the number of its newest version. */
type FoundProps = { template: Template; versions: number }

function Found({ template, versions }: FoundProps) {
  const { name, endpoint } = template
  const { service } = useSession()
  const source = `${service.base_url}/docs/samples/${endpointNamed(endpoint).sample}`
  const values = exampleValues(template)
  const navigate = useNavigate({ from: '/templates/$name' })
  const [isDialogOpen, { open, close }] = useDisclosure(false)
  const show = (next: { name: string; version?: number }) =>
    void navigate({ params: { name: next.name }, search: (now) => ({ ...now, version: next.version }) })
  return (
    <>
      <PageHeader
        title={name}
        about={endpoint}
        actions={
          <>
            {allTemplates}
            <LinkButton
              to="/playground"
              search={recipeOf({ endpoint, source, input: filledIn(template, values) })}
              variant="default"
            >
              {shared.openInPlayground}
            </LinkButton>
            <Button leftSection={<IconPlus size={16} aria-hidden="true" />} onClick={open}>
              {text.newVersion}
            </Button>
          </>
        }
      />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <DefinitionPanel template={template} versions={versions} onChoose={(version) => show({ name, version })} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <CallPanel template={template} source={source} values={values} />
        </Grid.Col>
      </Grid>
      <TemplateDialog
        opened={isDialogOpen}
        title={text.newVersionOf(name)}
        first={definitionOf(template)}
        submit={text.createVersion}
        onClose={close}
        onSaved={(saved) => show({ name: saved.name })}
      />
    </>
  )
}

type DefinitionProps = FoundProps & { onChoose: (version: number) => void }

function DefinitionPanel({ template, versions, onChoose }: DefinitionProps) {
  const numbers = Array.from({ length: versions }, (_, index) => versions - index)
  return (
    <Panel
      title={text.definition}
      about={
        <>
          {shared.created} <When at={template.created_at} />
        </>
      }
      actions={
        <Select
          aria-label={text.version}
          size="xs"
          w={170}
          data={numbers.map((number) => ({
            value: String(number),
            label: text.versionNumber(number, number === versions),
          }))}
          value={String(template.version)}
          onChange={(value) => onChoose(Number(value))}
          allowDeselect={false}
        />
      }
    >
      <CodeBlock code={definitionOf(template)} language="json" label={text.definitionAsJson(template.id)} />
    </Panel>
  )
}

type CallProps = { template: Template; source: string; values: Record<string, unknown> }

function CallPanel({ template, source, values }: CallProps) {
  const body = { source, template: template.id, ...(Object.keys(values).length === 0 ? {} : { variables: values }) }
  const isSeveral = template.outputs !== undefined
  return (
    <CodePanel
      about={text.codeAbout}
      steps={[{ kind: 'request', variable: undefined, endpoint: template.endpoint, body, isSeveral }]}
    />
  )
}
