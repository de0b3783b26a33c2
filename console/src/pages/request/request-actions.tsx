import { Button } from '@mantine/core'
import type { MediaRequest } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { hasPassed } from '../../components/format.ts'
import { LinkButton } from '../../components/link-button.tsx'
import { shared } from '../../text.ts'
import { recipeOf } from '../playground/recipe.ts'
import { text } from './text.ts'

export function RequestActions({ request }: { request: MediaRequest }) {
  const path = `/requests/${request.id}`
  const change = useChange({ stale: ['/requests', '/overview'] })
  const isOpen = request.status === 'queued' || request.status === 'processing'
  const hasFiles =
    request.status === 'succeeded' &&
    request.result.files.length > 0 &&
    !(request.result.deleted_at !== undefined && hasPassed(request.result.deleted_at))
  return (
    <>
      {isOpen && (
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate({ method: 'POST', path: `${path}/abort` })}
        >
          {shared.abort}
        </Button>
      )}
      {hasFiles && (
        <ConfirmButton
          label={text.deleteFiles}
          question={text.deleteFilesQuestion(request.id)}
          confirm={text.deleteFiles}
          onConfirm={() => change.mutate({ method: 'DELETE', path: `${path}/files` })}
        >
          {text.deleteFilesAbout}
        </ConfirmButton>
      )}
      <LinkButton to="/playground" search={recipeOf(request)}>
        {shared.openInPlayground}
      </LinkButton>
    </>
  )
}
