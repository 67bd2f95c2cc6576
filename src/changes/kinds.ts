import type { SectionName } from '#src/record/sections.ts'
import type { ToldSource } from '#src/sources/index.ts'
import type { ChangedField } from '#src/storage/changes/change-log.ts'
import { type ChangeTypeName, changeTypes, type ToldSection } from './change-types.ts'

/** The fields of one kind of change, and the part of the record it is in. */
export type Kind = { type: ChangeTypeName; seksjon: ToldSection; felt: ChangedField[] }

/** What changed, sorted into the kinds of change, in the order these are listed. */
export function kindsOf(fields: readonly ChangedField[]): Kind[] {
  const byType = Map.groupBy(fields, (field) => typeOf(field, fields))
  return changeTypes.flatMap(({ type, section }) => {
    const felt = byType.get(type)
    return felt === undefined ? [] : [{ type, seksjon: section, felt }]
  })
}

function typeOf(field: ChangedField, all: readonly ChangedField[]): ChangeTypeName {
  const [, top = '', , ...path] = field.felt.split('/')
  return hasSorter(top) ? sorters[top](path, field, all) : ofTheCompany(top, all)
}

/** Does not compile while changes are told of a source whose section has no kinds of change. */
type Sorted = Exclude<ToldSection | Extract<ToldSource, SectionName>, 'enhet'>

function hasSorter(top: string): top is Sorted {
  return Object.hasOwn(sorters, top)
}

type Sorter = (path: string[], field: ChangedField, all: readonly ChangedField[]) => ChangeTypeName

/** Of each part of the record that may change; the company's own facts are sorted by their names. */
const sorters: Readonly<Record<Sorted, Sorter>> = {
  status: ([name = '', what]: string[], _, all) => proceedings(name, what, all),
  adresser: () => 'foretak.adresse.endret',
  naering: ([name = '']) =>
    name === 'aktivitet' || name === 'vedtektsfestetFormaal'
      ? 'foretak.formaal.endret'
      : 'foretak.naering.endret',
  overordnetEnhet: () => 'foretak.overordnetEnhet.endret',
  roller: ([list = '']) => roleKind(list),
  signatur: () => 'roller.signatur.endret',
  prokura: () => 'roller.prokura.endret',
  regnskap: (_, { for: before, etter: now }) =>
    isNewYear(before, now) ? 'regnskap.nytt' : 'regnskap.endret',
  kunngjoringer: (_, { for: before }) => (before === null ? 'kunngjoring.ny' : 'kunngjoring.endret'),
  aksjonaerer: (_, __, all) => {
    const isNewer = all.some(
      ({ felt, etter }) => etter !== null && /^\/aksjonaerer\/data(\/aar)?$/.test(felt),
    )
    return isNewer ? 'aksjonaerer.nytt_aar' : 'aksjonaerer.endret'
  },
  konsern: () => 'konsern.endret',
  underenheter: () => 'underenheter.endret',
  rollerIAndreForetak: () => 'rollerIAndreForetak.endret',
  regnskapskopier: () => 'regnskapskopier.endret',
}

/** Of a list of roles, where it has a kind of its own. */
function roleKind(list: string): ChangeTypeName {
  return changeTypes.find(({ type }) => type === `roller.${list}.endret`)?.type ?? 'roller.endret'
}

/** Opened, or ended, is what the register says now; another date of the same is neither. */
function proceedings(name: string, what: string | undefined, all: readonly ChangedField[]): ChangeTypeName {
  if (name === 'slettet') return deletion(all)
  if (name === 'paategninger') return 'foretak.paategning.endret'
  const kind = Object.hasOwn(PROCEEDINGS, name) ? PROCEEDINGS[name] : undefined
  const flag = all.find(({ felt }) => felt === `/status/data/${name}/gjelder`)
  if (kind === undefined || what === undefined || flag === undefined) return 'foretak.status.endret'
  if (flag.etter === true) return `foretak.${kind}.apnet`
  return flag.for === true ? `foretak.${kind}.avsluttet` : 'foretak.status.endret'
}

const PROCEEDINGS: Readonly<
  Record<string, 'konkurs' | 'avvikling' | 'tvangsavvikling' | 'rekonstruksjon' | 'utenlandskInsolvens'>
> = {
  konkurs: 'konkurs',
  underAvvikling: 'avvikling',
  tvangsavviklingEllerTvangsopplosning: 'tvangsavvikling',
  rekonstruksjon: 'rekonstruksjon',
  utenlandskInsolvens: 'utenlandskInsolvens',
}

/** By what it is now: a date of deletion that is corrected is one of a deletion. */
function deletion(all: readonly ChangedField[]): ChangeTypeName {
  const kind = all.find(({ felt }) => felt === '/enhetstype')
  if (kind !== undefined) return kind.etter === 'slettet' ? 'foretak.slettet' : 'foretak.gjenopprettet'
  const isUndone = all.some(({ felt, etter }) => felt === '/slettedato' && etter === null)
  return isUndone ? 'foretak.gjenopprettet' : 'foretak.slettet'
}

function ofTheCompany(name: string, all: readonly ChangedField[]): ChangeTypeName {
  switch (name) {
    case 'navn':
    case 'historiskeNavn':
      return 'foretak.navn.endret'
    case 'enhetstype':
      return all.some(
        ({ felt, for: was, etter }) => felt === '/enhetstype' && (was === 'slettet' || etter === 'slettet'),
      )
        ? deletion(all)
        : 'foretak.endret'
    case 'slettedato':
      return deletion(all)
    case 'organisasjonsform':
      return 'foretak.organisasjonsform.endret'
    case 'kapital':
      return 'foretak.kapital.endret'
    case 'antallAnsatte':
      return 'foretak.ansatte.endret'
    case 'hjemmeside':
    case 'telefon':
    case 'mobil':
    case 'epostadresse':
      return 'foretak.kontakt.endret'
    default:
      return /^(registrert|registreringsdato|frivilligMva)/.test(name)
        ? 'foretak.registrering.endret'
        : 'foretak.endret'
  }
}

/** Accounts of a kind and a period of which there were none. */
function isNewYear(before: unknown, now: unknown): boolean {
  const has = (year: unknown, kind: 'selskap' | 'konsern') =>
    typeof year === 'object' && year !== null && (year as Record<string, unknown>)[kind] !== null
  return (has(now, 'selskap') && !has(before, 'selskap')) || (has(now, 'konsern') && !has(before, 'konsern'))
}
