import type { Runner } from './connection/connect.ts'

type ApiServer = {
  id: string
  host: string
  pid: number
  address: string
  version: string
  schema: number
  keys: string[]
}

export type ApiServerRow = ApiServer & { alive: boolean; startedAt: Date; seenAt: Date }

export async function renewApiServer(sql: Runner, server: ApiServer): Promise<void> {
  await sql`
    with lost as (
      delete from api_servers where seen_at < now() - interval '1 hour' and id <> ${server.id}
    )
    insert into api_servers (id, host, pid, address, version, schema, keys)
    values (
      ${server.id}, ${server.host}, ${server.pid}, ${server.address}, ${server.version}, ${server.schema},
      ${server.keys}::text[]
    )
    on conflict (id) do update set seen_at = clock_timestamp()`
}

export async function deleteApiServer(sql: Runner, id: string): Promise<void> {
  await sql`delete from api_servers where id = ${id}`
}

export async function listApiServers(sql: Runner): Promise<ApiServerRow[]> {
  return await sql<ApiServerRow[]>`
    select id, host, pid, address, version, schema, keys, seen_at > now() - interval '20 seconds' as alive,
      started_at as "startedAt", seen_at as "seenAt"
    from api_servers
    where seen_at > now() - interval '1 hour'
    order by alive desc, seen_at desc limit 200`
}
