/**
 * A small job server for comparison, without sandbox, billing, limits, leases, or webhooks.
 * `lab/bench/baseline-server.ts` starts it as `server.ts api|worker`, with DATABASE_URL, KEY, OUT (a folder), and PORT.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { Pool } from 'pg'
import sharp from 'sharp'
import { request } from 'undici'
import { z } from 'zod'

const {
  DATABASE_URL: connectionString = '',
  KEY: key = '',
  OUT: folder = '',
  PORT: port = '',
  CONC: concurrency = '4',
} = process.env
const pool = new Pool({ connectionString, max: 10 })

type Row = {
  id: string
  status: string
  endpoint: string
  source: string
  input: { operations: { type: string; width?: number; height?: number; quality?: number; image_url?: string }[] }
  result: object | null
  error: object | null
  created_at: Date
  completed_at: Date | null
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const present = ({ id, status, endpoint, source, result, error, created_at, completed_at }: Row) => ({
  id: Number(id),
  status,
  endpoint,
  livemode: true,
  source,
  result,
  error,
  created_at,
  completed_at,
})

const Body = z.strictObject({
  source: z.url(),
  operations: z
    .array(z.looseObject({ type: z.string() }))
    .min(1)
    .max(20)
    .optional(),
  output: z.strictObject({ format: z.string() }).optional(),
  webhook_url: z.url().optional(),
})

if (process.argv[2] === 'api') await serve()
else await work()
process.send?.('ready')

async function serve(): Promise<void> {
  const utils = await makeWorkerUtils({ connectionString })
  await utils.migrate()
  await utils.release()
  await pool.query(`
    create table if not exists api_keys(hash text primary key, account_id bigint not null);
    create table if not exists peer_requests(id bigserial primary key, account_id bigint not null, endpoint text not null,
      status text not null default 'queued', source text not null, input jsonb not null, result jsonb, error jsonb,
      created_at timestamptz not null default now(), completed_at timestamptz);
    create index if not exists peer_requests_account on peer_requests(account_id, id desc);`)
  await pool.query('insert into api_keys values ($1, 1) on conflict do nothing', [hashOf(key)])
  const app = Fastify({ bodyLimit: 1 << 20 })
  app.post<{ Params: { media: string; action: string } }>('/v1/:media/:action', async (call, reply) => {
    const account = await accountOf(call, reply)
    if (account === undefined) return reply
    const body = Body.safeParse(call.body)
    if (!body.success) {
      return reply.code(422).send({ error: { code: 'validation_failed', errors: body.error.issues } })
    }
    return reply.code(202).send(present(await insert(account, `${call.params.media}/${call.params.action}`, body.data)))
  })
  app.get<{ Params: { id: string } }>('/v1/requests/:id', async (call, reply) => {
    const account = await accountOf(call, reply)
    if (account === undefined) return reply
    const text = 'select * from peer_requests where id=$1 and account_id=$2'
    const { rows } = await pool.query<Row>({ name: 'get', text, values: [call.params.id, account] })
    const [row] = rows
    return row === undefined ? reply.code(404).send({ error: { code: 'request_not_found' } }) : present(row)
  })
  app.get<{ Params: { name: string } }>('/files/:name', (call, reply) =>
    reply.send(createReadStream(join(folder, basename(call.params.name)))),
  )
  await app.listen({ port: Number(port), host: '127.0.0.1' })
}

async function accountOf(call: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
  const text = 'select account_id from api_keys where hash=$1'
  const values = [hashOf(call.headers.authorization?.slice(7) ?? '')]
  const { rows } = await pool.query<{ account_id: string }>({ name: 'key', text, values })
  if (rows[0] === undefined) reply.code(401).send({ error: { code: 'invalid_key' } })
  return rows[0]?.account_id
}

async function insert(account: string, endpoint: string, body: z.infer<typeof Body>): Promise<Row> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const text = 'insert into peer_requests(account_id, endpoint, source, input) values ($1,$2,$3,$4) returning *'
    const { rows } = await client.query<Row>({
      name: 'insert',
      text,
      values: [account, endpoint, body.source, body],
    })
    const [row] = rows
    if (row === undefined) throw new Error('no row')
    await client.query({
      name: 'job',
      text: `select graphile_worker.add_job('media', json_build_object('id', $1::bigint), max_attempts => 3)`,
      values: [row.id],
    })
    await client.query('commit')
    return row
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function work(): Promise<void> {
  await run({
    connectionString,
    concurrency: Number(concurrency),
    pollInterval: 1_000,
    taskList: { media: async (payload) => await process_((payload as { id: string }).id) },
    logger: new Logger(() => () => undefined),
  })
}

async function fetchWhole(url: string): Promise<Buffer> {
  const { statusCode, body } = await request(url)
  if (statusCode !== 200) throw new Error(`source ${statusCode}`)
  return Buffer.from(await body.arrayBuffer())
}

async function process_(id: string): Promise<void> {
  const text = `update peer_requests set status='processing' where id=$1 returning *`
  const { rows } = await pool.query<Row>({ name: 'start', text, values: [id] })
  const [row] = rows
  if (row === undefined) throw new Error('no row')
  const bytes = await fetchWhole(row.source)
  const result = row.endpoint === 'images/read' ? await read(bytes) : await draw(row, bytes)
  const done = `update peer_requests set status='succeeded', result=$2, completed_at=now() where id=$1`
  await pool.query({ name: 'done', text: done, values: [id, result] })
}

async function read(bytes: Buffer): Promise<object> {
  const { width, height, format } = await sharp(bytes).metadata()
  return { data: { width, height, format } }
}

async function draw({ id, input }: Row, bytes: Buffer): Promise<object> {
  let image = sharp(bytes, { animated: false }).autoOrient()
  let quality = 80
  for (const { type, width, height, quality: asked = quality, image_url } of input.operations) {
    if (type === 'resize' || type === 'thumbnail') image = image.resize(width, height, { fit: 'inside' })
    if (type === 'compress' || type === 'thumbnail') quality = asked
    if (type === 'watermark' && image_url !== undefined) {
      const logo = await fetchWhole(image_url)
      const drawn = await image.png({ compressionLevel: 0 }).toBuffer()
      image = sharp(drawn).composite([{ input: logo, left: 20, top: 20 }])
    }
  }
  const { data, info } = await image
    .flatten({ background: '#fff' })
    .jpeg({ quality })
    .toBuffer({ resolveWithObject: true })
  const name = `${id}.jpg`
  await writeFile(join(folder, name), data)
  const url = `http://127.0.0.1:${port}/files/${name}`
  return { files: [{ url, format: 'jpg', size: data.length }], data: { width: info.width, height: info.height } }
}
