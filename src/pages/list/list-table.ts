import type { Language } from '#src/core/language.ts'
import type { Sheet } from '../../http/sheets/sheet.ts'
import { whyText } from '../lookup/hit-words.ts'
import { stateOfCompany } from '../record-view/basics.ts'
import type { FoundLine } from './find-lines.ts'

/** The list as it is taken home: every line that was given, found or not. */
export function listTable(lines: readonly FoundLine[], language: Language): Sheet {
  const t = words[language]
  return {
    name: t.title,
    columns: t.columns,
    rows: lines.map(({ given, band, chosen }) => [
      given,
      chosen?.organisasjonsnummer ?? null,
      chosen?.navn ?? null,
      chosen?.organisasjonsform?.kode ?? null,
      chosen?.poststed ?? chosen?.kommune?.navn ?? null,
      chosen?.kommune?.nummer ?? null,
      chosen === null || chosen.foretakstilstand === null
        ? null
        : stateOfCompany(chosen.foretakstilstand, language),
      chosen?.antallAnsatte.antall ?? null,
      t.bands[band],
      chosen === null ? null : whyText(chosen, language),
    ]),
  }
}

const words = {
  nb: {
    title: 'Foretak',
    columns: [
      'Oppgitt',
      'Org.nr.',
      'Navn',
      'Form',
      'Sted',
      'Kommunenr.',
      'Tilstand',
      'Ansatte',
      'Visshet',
      'Hvorfor',
    ],
    bands: { sikker: 'sikker', velg: 'flere mulige', ingen: 'ikke funnet', valgt: 'valgt for hånd' },
  },
  en: {
    title: 'Companies',
    columns: [
      'Given',
      'Org. no.',
      'Name',
      'Form',
      'Place',
      'Municipality',
      'State',
      'Employees',
      'Certainty',
      'Why',
    ],
    bands: { sikker: 'certain', velg: 'several possible', ingen: 'not found', valgt: 'chosen by hand' },
  },
}
