import type { RegisterRegnskap } from './schema.ts'

/** A filing taken apart as it is kept: what tells it from others, what the register says of it, and its figures. */
type FilingParts = {
  regnskapstype: string
  fra: string
  til: string
  id: number
  journalnr: string | null
  valuta: string
  opplysninger: Record<string, unknown>
  tall: Record<string, unknown>
}

/**
 * What is kept of a filing: every figure under whatever name, and of the rest what the schema lists. Plain JSON: what comes
 * back from storage is deeply equal to it.
 */
export function takeApartFiling(filing: RegisterRegnskap): FilingParts {
  const { virksomhet, revisjon, regnkapsprinsipper: prinsipper } = filing
  return {
    regnskapstype: filing.regnskapstype ?? '',
    fra: filing.regnskapsperiode.fraDato,
    til: filing.regnskapsperiode.tilDato,
    id: filing.id ?? 0,
    journalnr: filing.journalnr ?? null,
    valuta: filing.valuta,
    opplysninger: plain({
      regnskapDokumenttype: filing.regnskapDokumenttype,
      organisasjonsform: virksomhet.organisasjonsform,
      morselskap: virksomhet.morselskap,
      avviklingsregnskap: filing.avviklingsregnskap,
      oppstillingsplan: filing.oppstillingsplan,
      ikkeRevidertAarsregnskap: revisjon?.ikkeRevidertAarsregnskap,
      fravalgRevisjon: revisjon?.fravalgRevisjon,
      smaaForetak: prinsipper?.smaaForetak,
      regnskapsregler: prinsipper?.regnskapsregler,
    }),
    tall: plain({
      resultatregnskapResultat: filing.resultatregnskapResultat,
      eiendeler: filing.eiendeler,
      egenkapitalGjeld: filing.egenkapitalGjeld,
    }),
  }
}

/** The filing again, in the register's shape. `parts` came from `takeApartFiling` and is not checked again. */
export function putTogether(organisasjonsnummer: string, parts: FilingParts): RegisterRegnskap {
  const { opplysninger, tall, id, journalnr, regnskapstype } = parts
  const { organisasjonsform, morselskap, ikkeRevidertAarsregnskap, fravalgRevisjon, ...more } = opplysninger
  const { smaaForetak, regnskapsregler, ...head } = more
  return plain({
    ...(id !== 0 && { id }),
    ...(journalnr !== null && { journalnr }),
    ...(regnskapstype !== '' && { regnskapstype }),
    ...head,
    virksomhet: { organisasjonsnummer, organisasjonsform, morselskap },
    regnskapsperiode: { fraDato: parts.fra, tilDato: parts.til },
    valuta: parts.valuta,
    revisjon: { ikkeRevidertAarsregnskap, fravalgRevisjon },
    regnkapsprinsipper: { smaaForetak, regnskapsregler },
    ...tall,
  }) as RegisterRegnskap
}

/** Without what is undefined, and with one zero: as JSON has it. */
function plain(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value))
}
