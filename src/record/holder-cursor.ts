/** Where a page of holders ends: in which delivery, of which company, after how many. */
export type HolderCursor = { delivery: number; orgnr: number; after: number }

/** As text that a caller hands back as it is. It holds no more than where to go on, so there is nothing to sign. */
export function writeCursor({ delivery, orgnr, after }: HolderCursor): string {
  return Buffer.from(`${delivery}.${orgnr}.${after}`).toString('base64url')
}

/** null for anything that `writeCursor` did not write. */
export function readCursor(text: string): HolderCursor | null {
  if (text.length > 60) return null
  const parts = /^([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})$/.exec(
    Buffer.from(text, 'base64url').toString('latin1'),
  )
  if (parts === null) return null
  const cursor = { delivery: Number(parts[1]), orgnr: Number(parts[2]), after: Number(parts[3]) }
  return writeCursor(cursor) === text ? cursor : null
}
