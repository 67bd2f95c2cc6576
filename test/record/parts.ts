import type { Parts } from '#src/record/parts.ts'
import { createPersonIds } from '#src/record/person-ids.ts'
import type { KnownAccounts } from '#src/record/sections/regnskap/known-accounts.ts'
import { addressesAt } from '#src/sources/addresses.ts'
import type { Enhet } from '#src/sources/enhetsregisteret/schema.ts'

export const addresses = addressesAt({
  registerUrl: 'https://data.brreg.no',
  kunngjoringUrl: 'https://w2.brreg.no',
  klassUrl: 'https://data.ssb.no',
})

export const personIds = createPersonIds(Buffer.from('a secret of a test'))

export const fetchedAt = new Date('2026-11-21T10:00:00Z')

export const found = <T>(value: T) => ({ outcome: 'found' as const, value, avvik: [] as string[], fetchedAt })
/** What the accounts register gave, with an archive that has nothing more. */
export const accounts = (live: KnownAccounts['live'], changes: Partial<KnownAccounts> = {}) =>
  found<KnownAccounts>({ live, archived: [], isArchiveRead: true, withoutLive: null, ...changes })
export const absent = { outcome: 'absent' as const, fetchedAt }
export const late = { outcome: 'failed' as const, failure: 'tidsfrist' as const }

export const enhet = (changes: Partial<Enhet> = {}): Enhet => ({
  respons_klasse: 'Enhet',
  organisasjonsnummer: '923609016',
  navn: 'LYNGHEI AS',
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap' },
  konkurs: false,
  underAvvikling: false,
  underTvangsavviklingEllerTvangsopplosning: false,
  harRegistrertAntallAnsatte: false,
  erIKonsern: false,
  ...changes,
})

/** A company of which every source says that it has nothing. */
export const parts = (changes: Partial<Parts> = {}): Parts => ({
  unit: found(enhet()),
  parent: null,
  roller: absent,
  signatur: absent,
  prokura: absent,
  regnskap: absent,
  kunngjoringer: absent,
  konsern: absent,
  rollerIAndreForetak: absent,
  regnskapskopier: found({ aar: [], erAlle: true }),
  underenheter: found({ antall: 0, underenheter: [] }),
  aksjonaerer: { outcome: 'not_imported' },
  eierskap: { outcome: 'not_imported' },
  industryCodes: null,
  unitFrom: 'enhet',
  addresses,
  personIds,
  alone: null,
  ...changes,
})
