import type { Sql } from '@mediamill/server/db/connection/connect'

export async function schemaOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ what: string }[]>`
    select format('%s.%s %s %s default %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' else '' end || a.attidentity::text || a.attgenerated::text, pg_get_expr(d.adbin, d.adrelid)) as what
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
    union all
    select format('%s has %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
    where connamespace = 'public'::regnamespace
    union all
    select format('%s %s', pg_get_indexdef(indexrelid), case when indisvalid then '' else 'INVALID' end) from pg_index
    where indexrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
    union all
    select format('%s stores %s', relname, reloptions) from pg_class where relnamespace = 'public'::regnamespace
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
    union all
    select format('%s: %s', pg_describe_object(classoid, objoid, objsubid), description) from pg_description
    where (pg_identify_object(classoid, objoid, objsubid)).schema = 'public'
    order by 1`
  return rows.map(({ what }) => what)
}
