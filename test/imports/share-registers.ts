import { importShareholders } from '#src/imports/import-shareholders.ts'
import type { RegisterFile } from '#src/sources/aksjonaerregisteret/file.ts'
import type { FileRefusal } from '#src/sources/aksjonaerregisteret/refusals.ts'
import type { Queryable } from '#src/storage/database.ts'

export const HEADER =
  'Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap'

/** A register of these rows. */
export function csv(rows: readonly string[]): string {
  return `${[HEADER, ...rows].join('\n')}\n`
}

/** What a file gives, without a file: in small blocks of whole lines. */
export function fileOf(text: string, blockBytes = 5000): Omit<RegisterFile, 'close'> {
  const bytes = Buffer.from(text)
  return {
    share: () => 1,
    isAsOpened: async () => true,
    async *blocks({ signal } = {}) {
      for (let at = 0; at < bytes.length; ) {
        signal?.throwIfAborted()
        const end = bytes.indexOf(10, Math.min(at + blockBytes, bytes.length - 1)) + 1 || bytes.length
        yield bytes.subarray(at, end)
        at = end
      }
    },
  }
}

/** Imports a text as a year, with what was refused. */
export async function importText(
  url: string,
  text: string,
  options: Partial<Parameters<typeof importShareholders>[0]> & { aar?: number } = {},
) {
  const refused: [number, FileRefusal][] = []
  const outcome = await importShareholders({
    url,
    file: fileOf(text),
    aar: 2025,
    kilde: 'prøve',
    uttrekksdato: null,
    onRefused: (line, refusal) => refused.push([line, refusal]),
    ...options,
  })
  return { outcome, refused }
}

/** All that is stored for a year, in one text that can be compared. */
export async function stored(db: Queryable, aar: number) {
  const [books, parts, stakes] = await Promise.all(
    [
      `select b.orgnr, b.navn, b.aksjer_totalt, b.aksjer_sum, b.innehavere, b.klasser, b.storste
       from aksjebok b join aksjeleveranse l on l.id = b.leveranse and l.tilstand = 'gjeldende' where l.aar = $1 order by 1`,
      `select d.orgnr, d.del, d.innehavere
       from aksjebok_del d join aksjeleveranse l on l.id = d.leveranse and l.tilstand = 'gjeldende' where l.aar = $1 order by 1, 2`,
      `select e.eier, e.eid, e.aksjer
       from eierandel e join aksjeleveranse l on l.id = e.leveranse and l.tilstand = 'gjeldende' where l.aar = $1 order by 1, 2`,
    ].map((text) => db.query(text, [aar])),
  )
  return { books: books ?? [], parts: parts ?? [], stakes: stakes ?? [] }
}

/** Tables of deliveries there are, joined to their parents or not. */
export async function deliveryTables(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relname ~ '^(aksjebok|aksjebok_del|eierandel)_[0-9]+$' order by 1`,
  )
  return rows.map(({ name }) => name)
}
