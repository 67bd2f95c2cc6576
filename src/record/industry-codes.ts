import type { StoredIndustryCodes } from '#src/storage/industry-codes.ts'
import type { IndustryCodes, Sn2007 } from './sections/naering.ts'

/** The register's own mark for "no industry stated"; it belongs to neither code set. */
const UOPPGITT = '00.000'

/**
 * Builds the look-up from SN2025 to SN2007.
 *
 * The table of correspondences lists changes: a code that did not change is not listed, and a listed code may also go on
 * as itself without that being listed (53.200 is listed to 96.010 alone). So the SN2007 code list decides whether a code
 * goes on as itself: same number and same name. Without that list a listed answer is marked as not exhaustive, unless the
 * table itself shows that it treats that number (another code corresponds to it, or it corresponds to itself).
 */
export function industryCodes(stored: StoredIndustryCodes, isFresh: boolean): NonNullable<IndustryCodes> {
  const targets = new Map<string, Map<string, string>>()
  const treated = new Set<string>()
  const names = new Map<string, string>()
  for (const { sn2025, sn2025Navn, sn2007, sn2007Navn } of stored.correspondences) {
    const known = targets.get(sn2025) ?? new Map<string, string>()
    targets.set(sn2025, known.set(sn2007, sn2007Navn))
    treated.add(sn2007)
    names.set(sn2025, sn2025Navn)
  }
  const sn2025 = stored.sn2025Codes && new Map(stored.sn2025Codes.map(({ kode, navn }) => [kode, navn]))
  const sn2007 = stored.sn2007Codes && new Map(stored.sn2007Codes.map(({ kode, navn }) => [kode, navn]))

  function toSn2007(code: string): Sn2007 {
    if (code === UOPPGITT) return { art: 'uoppgitt', koder: [], fullstendig: true }
    const listed = targets.get(code)
    if (listed === undefined) return unlisted(code)
    const all = new Map(listed)
    const nameThen = sn2007?.get(code)
    if (nameThen !== undefined && sameName(nameThen, sn2025?.get(code) ?? names.get(code)))
      all.set(code, nameThen)
    const koder = [...all]
      .map(([kode, beskrivelse]) => ({ kode, beskrivelse }))
      .sort((a, b) => a.kode.localeCompare(b.kode))
    const fullstendig = sn2007 !== null || treated.has(code)
    if (koder.length > 1 || !fullstendig) return { art: 'en_av_flere', koder, fullstendig }
    return { art: koder[0]?.kode === code ? 'samme' : 'en_til_en', koder, fullstendig }
  }

  /**
   * What did not change is not listed, and neither is what there is no such code as: only SN2025's own list tells them apart,
   * and only SN2007's that the code was there too.
   */
  function unlisted(code: string): Sn2007 {
    const isKnown = sn2025?.has(code) === true && (sn2007?.has(code) ?? true)
    const fullstendig = sn2025 !== null && sn2007 !== null
    if (!isKnown) return { art: 'ukjent', koder: [], fullstendig: false }
    const navn = sn2007?.get(code) ?? sn2025?.get(code) ?? null
    return { art: 'samme', koder: [{ kode: code, beskrivelse: navn || null }], fullstendig }
  }

  let reversed: [string, string][] | null = null
  /** The codes the register serves that are, or may be, below this code of SN2007. */
  function toSn2025(prefix: string): string[] {
    reversed ??= [...new Set([...(sn2025?.keys() ?? []), ...targets.keys()])].flatMap((code) =>
      toSn2007(code).koder.map(({ kode }): [string, string] => [kode, code]),
    )
    return [...new Set(reversed.filter(([kode]) => kode.startsWith(prefix)).map(([, code]) => code))]
  }

  const avvik = [...(sn2025 === null ? ['/sn2025Codes'] : []), ...(sn2007 === null ? ['/sn2007Codes'] : [])]
  return { loadedAt: stored.loadedAt, isFresh, avvik, toSn2007, toSn2025 }
}

function sameName(then: string, now: string | undefined): boolean {
  return now !== undefined && then.trim().toLowerCase() === now.trim().toLowerCase()
}
