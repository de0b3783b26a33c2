import { randomBytes } from 'node:crypto'

export const newRequestId = (): string => `req_${randomBytes(12).toString('hex')}`
