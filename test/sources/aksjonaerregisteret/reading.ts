import { nameText } from '#src/core/name-bytes.ts'
import { type ArchiveRow, createRowReader } from '#src/sources/aksjonaerregisteret/rows.ts'
import { scanRegister } from '#src/sources/aksjonaerregisteret/scan.ts'

export const HEADER =
  'Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap'

/** A register of these rows, as bytes. */
export function register(rows: readonly string[], { header = HEADER, end = '\n' } = {}): Buffer {
  return Buffer.from([header, ...rows].map((row) => `${row}${end}`).join(''))
}

/** Scans and reads bytes in blocks of whole lines, as large as told. */
export async function readRegister(bytes: Buffer, { blockBytes = 100_000 } = {}) {
  const scan = await scanRegister(blocksOf(bytes, blockBytes))
  const rows: (Omit<ArchiveRow, 'navn'> & { navn: string })[] = []
  const refused: [number, string][] = []
  const reader = createRowReader(scan)
  for await (const block of blocksOf(bytes, blockBytes)) {
    reader.read(block, {
      onRow: (row) => rows.push({ ...row, navn: nameText(row.navn) }),
      onRefused: (line, refusal) => refused.push([line, refusal]),
    })
  }
  return { scan, rows, refused }
}

async function* blocksOf(bytes: Buffer, blockBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(10, Math.max(at, at + blockBytes - 1)) + 1
    const end = lineEnd === 0 ? bytes.length : lineEnd
    yield bytes.subarray(at, end)
    at = end
  }
}
