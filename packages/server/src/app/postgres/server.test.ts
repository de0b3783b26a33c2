import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { OperatorError } from '@mediamill/contract/domain/errors'
import { sharedFolder } from '@mediamill/lab/support/shared'
import { SAME_USER } from './os-user.ts'
import { createCluster } from './server.ts'

const folder = await sharedFolder('mediamill-cluster-')

const CASES: [name: string, script: string, message: string][] = [
  ['two lines', 'printf "\\ninitdb: error: no space\\nhint: second line\\n" >&2; exit 1', 'initdb: error: no space'],
  ['no message', 'exit 1', 'it exited without a message'],
]

for (const [name, script, message] of CASES)
  test(`the error of a failed initdb contains the first line of the output, or states that there is no output [${name}]`, async () => {
    const program = { folder: join(folder, name), version: '18.0.0' }
    await mkdir(join(program.folder, 'bin'), { recursive: true })
    await writeFile(join(program.folder, 'bin/initdb'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const cluster = { folder, dataFolder: join(folder, 'data'), program, launch: SAME_USER }
    await assert.rejects(
      createCluster(cluster, true),
      (error) => error instanceof OperatorError && error.message === `PostgreSQL's initdb failed: ${message}`,
    )
  })
