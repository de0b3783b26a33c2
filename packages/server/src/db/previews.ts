import type { Runner } from './connection/connect.ts'

/** Adds a thumbnail to the first result file. Returns `false` if the file already has a thumbnail, or was deleted. */
export async function addPreview(
  sql: Runner,
  requestId: number,
  { fileKey, previewKey }: { fileKey: string; previewKey: string },
): Promise<boolean> {
  const added = await sql`
    update requests r set files = jsonb_set(r.files::jsonb, '{0,thumbnail}', to_jsonb(${previewKey}::text))::json
    where r.id = ${requestId} and r.sweep_at is not null and r.deleted_at > now()
      and r.files -> 0 ->> 'key' = ${fileKey} and r.files -> 0 ->> 'thumbnail' is null`
  return added.count > 0
}
