import type { FastifyRequest } from 'fastify'
import type { Sheet } from '../../http/sheets/sheet.ts'
import { workbookOf } from '../../http/sheets/workbook.ts'
import { PageFailure } from '../failures.ts'
import { type Guest, turnNameOf } from './guest.ts'

/** @throws PageFailure `trangt` when too many want one at once */
export function workbookFor(
  guest: Guest,
  request: FastifyRequest,
  sheets: readonly Sheet[],
): Promise<Buffer> {
  const crowded = (isOwn: boolean) => new PageFailure('trangt', { retryAfterSeconds: 5, isOwn })
  return workbookOf(sheets, turnNameOf(guest, request), crowded)
}
