import { Grid, Stack } from '@mantine/core'
import { useState } from 'react'
import { messagesByField } from '../../api/call-error.ts'
import { shownUrl } from '../../api/shown-url.ts'
import { PageHeader } from '../../components/page-header.tsx'
import { EarlierContext } from './earlier/earlier-context.ts'
import { EarlierPanel } from './earlier/earlier-panel.tsx'
import { useEarlier } from './earlier/use-earlier.ts'
import { EndpointPanel } from './endpoint-panel.tsx'
import { endpointNamed } from './endpoints.ts'
import { OperationsPanel } from './operations/operations-panel.tsx'
import { OutputsPanel } from './outputs/outputs-panel.tsx'
import classes from './playground-page.module.css'
import { bodyOf } from './recipe.ts'
import { RunPanel } from './run/run-panel.tsx'
import { useEstimate } from './run/use-estimate.ts'
import { useRun } from './run/use-run.ts'
import { CodePanel } from './snippets/code-panel.tsx'
import { SaveTemplate } from './snippets/save-template.tsx'
import { stepsOf } from './snippets/snippet.ts'
import { SourcePanel } from './source/source-panel.tsx'
import { uploadedNames } from './source/use-upload.ts'
import { text } from './text.ts'
import { recipeFrom, useRecipe } from './use-recipe.ts'

export function PlaygroundPage() {
  const recipe = useRecipe()
  const { draft } = recipe
  const endpoint = endpointNamed(draft.endpoint)
  const body = bodyOf(recipeFrom(draft))
  const earlier = useEarlier(recipe, body)
  /** Without operations, as in a new recipe, a call would return an error. */
  const hasOperations =
    !endpoint.takesOperations || draft.steps.length > 0 || (endpoint.takesOutputs && draft.outputs.length > 0)
  const missing = draft.source === '' ? text.noSourceAbout : hasOperations ? undefined : text.noOperationAbout
  const isComplete = missing === undefined
  const estimate = useEstimate(draft.endpoint, earlier.priced, isComplete)
  /** Local URLs of uploaded files by `source`, so that the page can show the files without a call. */
  const [images, setImages] = useState<ReadonlyMap<string, string>>(new Map())
  const previewUrl = images.get(draft.source) ?? shownUrl(earlier.resolve(draft.source))
  const call = { endpoint: draft.endpoint, body, earlier: earlier.needed }
  const run = useRun({ ...call, previewUrl }, earlier.run)
  const problems = {
    ...(isComplete ? messagesByField(estimate.error) : {}),
    ...(run.isCurrent ? messagesByField(run.error) : {}),
  }
  return (
    <EarlierContext value={earlier}>
      <PageHeader title={text.playground} about={text.playgroundAbout} />
      <Grid gap="md" align="flex-start">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="md">
            <EarlierPanel earlier={earlier} isRequestRunning={run.isRunning} />
            <EndpointPanel recipe={recipe} problems={problems} />
            <SourcePanel
              key={endpoint.medium}
              recipe={recipe}
              problem={problems['source']}
              onImage={(source, url) => setImages((now) => new Map(now).set(source, url))}
            />
            {endpoint.takesOperations && (
              <OperationsPanel recipe={recipe} problems={problems} medium={endpoint.medium} previewUrl={previewUrl} />
            )}
            {endpoint.takesOutputs && (
              <OutputsPanel
                recipe={recipe}
                problems={problems}
                request={run.isCurrent ? run.request : undefined}
                previewUrl={previewUrl}
              />
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }} className={classes['result'] ?? ''}>
          <Stack gap="md">
            <RunPanel run={run} estimate={estimate} missing={missing} />
            <CodePanel
              about={text.codeAbout}
              steps={stepsOf(call, Object.fromEntries(uploadedNames))}
              actions={endpoint.formats.length > 0 && <SaveTemplate endpoint={draft.endpoint} body={body} />}
            />
          </Stack>
        </Grid.Col>
      </Grid>
    </EarlierContext>
  )
}
