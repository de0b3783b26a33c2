import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { asUser } from './os-user.ts'
import { makeOwnFolder } from './prepare-cluster.ts'

const folder = await sharedFolder('mediamill-owner-')

test("if PostgreSQL's user cannot become the owner of the database folder, the start fails with the reason", async () => {
  const launch = asUser({ name: 'too-large', uid: 2 ** 32, gid: 0 })
  await assert.rejects(
    makeOwnFolder(folder, launch),
    (error) =>
      error instanceof OperatorError && error.message.startsWith(`The owner of ${folder} cannot be changed (chown: `),
  )
})
