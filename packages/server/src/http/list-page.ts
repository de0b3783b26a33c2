export async function listPage<Row, Shown>(
  limit: number,
  read: (limit: number) => Promise<Row[]>,
  present: (row: Row) => Shown,
): Promise<{ data: Shown[]; has_more: boolean }> {
  const rows = await read(limit + 1)
  return { data: rows.slice(0, limit).map(present), has_more: rows.length > limit }
}
