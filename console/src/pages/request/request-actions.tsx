import { Button } from '@mantine/core'
import type { MediaRequest } from '../../api/objects.ts'
import { useChange } from '../../api/use-api.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { recipeOf } from '../playground/recipe.ts'

export function RequestActions({ request }: { request: MediaRequest }) {
  const path = `/requests/${request.id}`
  const change = useChange({ stale: ['/requests', '/overview'] })
  const isOpen = request.status === 'queued' || request.status === 'processing'
  const hasFiles = request.status === 'succeeded' && request.result.files.length > 0
  return (
    <>
      {isOpen && (
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate({ method: 'POST', path: `${path}/abort` })}
        >
          Abort
        </Button>
      )}
      {hasFiles && (
        <ConfirmButton
          label="Delete files"
          question={`Delete the files of request ${request.id}?`}
          confirm="Delete files"
          onConfirm={() => change.mutate({ method: 'DELETE', path: `${path}/files` })}
        >
          Links to the files stop working immediately. The request and its charge remain.
        </ConfirmButton>
      )}
      <LinkButton to="/playground" search={recipeOf(request)}>
        Open in playground
      </LinkButton>
    </>
  )
}
