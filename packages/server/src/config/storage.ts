import { withAuthority } from '../db/connection/tls.ts'
import { certificates, databaseUrl, optional, storageUrl, withoutPassword } from './parse.ts'

const DATABASE_ADDRESS = {
  parse: databaseUrl,
  allowed: 'a postgres:// URL with a host; special characters in the password are percent-encoded',
  secret: true,
  shown: withoutPassword,
}
const CREDENTIAL = { parse: (text: string) => text, secret: true }

export const STORAGE_SETTINGS = {
  databaseUrl: optional({
    variable: 'DATABASE_URL',
    fallback: 'unset: the embedded PostgreSQL under DATA_DIR',
    ...DATABASE_ADDRESS,
    meaning: 'External PostgreSQL, 14 or newer, directly or through PgBouncer.',
  }),
  databaseListenUrl: optional({
    variable: 'DATABASE_LISTEN_URL',
    fallback: 'unset: DATABASE_URL',
    ...DATABASE_ADDRESS,
    meaning: 'The same database without PgBouncer, for LISTEN/NOTIFY.',
  }),
  migrateDatabaseUrl: optional({
    variable: 'MIGRATE_DATABASE_URL',
    fallback: 'unset: DATABASE_URL',
    ...DATABASE_ADDRESS,
    meaning: 'The same database without PgBouncer, for migrations.',
  }),
  databaseCa: optional({
    variable: 'DATABASE_CA',
    fallback: 'unset: sslrootcert of DATABASE_URL',
    parse: certificates,
    allowed: 'certificates in PEM format, or the path of their file',
    meaning: 'CA certificates for the database. If sslmode is not set, verify-full applies.',
  }),
  storageUrl: optional({
    variable: 'STORAGE_URL',
    fallback: 'unset: files under DATA_DIR',
    parse: storageUrl,
    allowed: 's3://bucket/prefix?endpoint=…&region=…',
    meaning: 'S3 bucket for results. Credentials come from the usual AWS_* variables.',
  }),
  storageCa: optional({
    variable: 'STORAGE_CA',
    fallback: 'unset: the CA certificates of Node.js',
    parse: certificates,
    allowed: 'certificates in PEM format, or the path of their file',
    meaning: 'CA certificates for the bucket server.',
  }),
  storageAccessKeyId: optional({
    variable: 'AWS_ACCESS_KEY_ID',
    fallback: 'unset: a profile or a machine role',
    ...CREDENTIAL,
    allowed: 'an access key id',
    meaning: 'Access key of the bucket.',
  }),
  storageSecretKey: optional({
    variable: 'AWS_SECRET_ACCESS_KEY',
    fallback: 'unset: a profile or a machine role',
    ...CREDENTIAL,
    allowed: 'the secret of the access key',
    meaning: 'Secret of AWS_ACCESS_KEY_ID.',
  }),
  storageSessionToken: optional({
    variable: 'AWS_SESSION_TOKEN',
    fallback: 'unset: none',
    ...CREDENTIAL,
    allowed: 'the token of a temporary access key',
    meaning: 'Session token of a temporary access key.',
  }),
}

type DatabaseValues = Record<
  'databaseCa' | 'databaseUrl' | 'databaseListenUrl' | 'migrateDatabaseUrl',
  string | undefined
>

export function withDatabaseCa({
  databaseCa,
  databaseUrl: url,
  databaseListenUrl,
  migrateDatabaseUrl,
}: DatabaseValues) {
  const verified = (address: string | undefined) =>
    address === undefined || databaseCa === undefined ? address : withAuthority(address, databaseCa)
  return {
    databaseUrl: verified(url),
    databaseListenUrl: verified(databaseListenUrl),
    migrateDatabaseUrl: verified(migrateDatabaseUrl),
  }
}
