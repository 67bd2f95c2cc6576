import type { Language } from '#src/core/language.ts'
import type { PageContent } from './layout.ts'
import { dateText } from './record-view/wording.ts'
import { type TextSection, textPage } from './text-page.ts'
import type { Visitor } from './visitor.ts'

/** What a client may rely on, and everything that was changed since. Newest first. */
export function changesPage({ language }: Visitor): PageContent {
  const t = titles[language]
  const log = changes.map(({ date, text }) => ({
    id: date,
    title: dateText(date, language),
    text: [text[language]],
  }))
  return {
    title: t.title,
    description: t.opening,
    main: textPage(t.title, t.opening, [...promise[language], ...log]),
  }
}

/**
 * One day's changes, in written HTML. `taken`: what of the published interface is gone or of another type by it, under the
 * names of src/api/published.txt.
 */
type Change = { date: string; text: Record<Language, readonly string[]>; taken?: readonly string[] }

/** In written HTML; a date is the day the change was taken into use. Nothing is taken out of this list. */
const changes: readonly Change[] = [
  {
    date: '2026-11-23',
    text: {
      nb: [
        'En egen testnøkkel overvåker inntil 100 foretak, og de nyeste 500 leveringene til hvert av endepunktene dens står.',
        'En side av <code>hentEndringer</code> kan være tom selv om <code>flere</code> er sant: les videre fra <code>neste</code>.',
      ],
      en: [
        'A test key of one’s own watches up to 100 companies, and the newest 500 deliveries to each of its endpoints are kept.',
        'A page of <code>hentEndringer</code> may be empty though <code>flere</code> is true: read on from <code>neste</code>.',
      ],
    },
  },
  {
    date: '2026-11-22',
    text: {
      nb: [
        'Løftet om stabilitet gjelder fra nå.',
        '<code>tilstand</code> er en seksjons tilstand og ingenting annet. Foretakets heter <code>foretakstilstand</code>, de ansattes og et regnskapstalls <code>opplysning</code>, et aksjonærårs <code>arkivet</code>, og et registers i <code>/status.json</code> <code>drift</code>.',
        'Nye navn: <code>arsak.tekst</code> → <code>arsak.beskrivelse</code>; <code>sn2007.koder[].navn</code> → <code>sn2007.koder[].beskrivelse</code>; <code>kombinasjoner[].kode</code> og <code>.tekst</code> → <code>kombinasjoner[].kombinasjon.kode</code> og <code>.beskrivelse</code>; <code>erDoed</code> → <code>erDod</code>; <code>paategninger[].innfoertDato</code> → <code>paategninger[].innfortDato</code>; <code>status.data.tilstand</code> og <code>overordnetEnhet.data.tilstand</code> → <code>foretakstilstand</code>; <code>antallAnsatte.tilstand</code> og <code>nokkeltall.*.tilstand</code> → <code>opplysning</code>; <code>historikk[].tilstand</code> → <code>historikk[].arkivet</code>.',
        'En seksjon er en av to former, som <code>tilstand</code> skiller: med <code>fersk</code> og <code>utdatert</code> er <code>data</code> der, med de andre er den <code>null</code>.',
        'Koder står som <code>{ kode, beskrivelse }</code>: også <code>arsak</code>, <code>sn2007.koder</code>, <code>paategninger[].infotype</code>, <code>kombinasjoner[].kombinasjon</code> og <code>foretaksformIHjemlandet</code>.',
        '<code>historiskeNavn</code> har tidspunkter etter ISO 8601, med tidssone.',
        '<code>innfortDato</code> og <code>erDod</code> heter det samme overalt: æ er ae, ø er o, å er aa.',
        '<code>kilder</code> har <code>kildeId</code>, som ikke endres, og <code>adresse</code>, den kilden er spurt på.',
        '<code>ETag</code> er svak og gjelder opplysningene alene, også for aksjonærer, eierskap og søk.',
        'Personer har id: <code>personId</code> for den som har en rolle eller kan signere, <code>aksjonaerId</code> for aksjonærer, aldri den samme. <code>muligSammePerson</code> sier hvem som kan være den samme, og hvorfor.',
        'Det en kilde sendte i uventet form, er <code>null</code> og nevnt i <code>avvik</code> med en JSON-peker, også når det er en liste: en tom liste sier at kilden ikke har noen. Det ene som ikke kan leses, koster ikke resten.',
        '<code>foretakstilstand</code> kan være <code>tvangsavvikling_eller_tvangsopplosning</code>, et regnskapstalls <code>opplysning</code> kan være <code>ikke_lesbar</code>, og en roller-liste <code>uavklart</code> har dem det ikke kunne leses om er avsluttet.',
        'Fullmaktenes <code>maate</code> er borte: den telte personer. <code>lovensUtgangspunkt</code> og <code>kombinasjonerUtenKjentRegel</code> står for seg, og er ingen registrert, er <code>standardisert</code> <code>null</code>.',
        'Eierskap: den som ikke står i registeret, får 404 <code>ikke_i_aksjonaerregisteret</code>. <code>harAksjebok</code> er <code>false</code> for den som bare eier; da er <code>oppover</code> <code>null</code>.',
        'Søk: <code>trefftype</code> kan være <code>tidligere_navn</code> og <code>annet</code>.',
        'Nye felt: registreringsdatoer for ansatte, merverdiavgift, frivillighets- og partiregisteret, <code>underlagtLovgivningLand</code>, <code>beskrivelseBokmaal</code>, og i et regnskap <code>regnskapDokumenttype</code> og <code>organisasjonsform</code>.',
        'OpenAPI-dokumentet har navn på formene (<code>Bedrift</code>, <code>Rolle</code>, …), er også på engelsk, og operasjonene heter det de gjør (<code>hentBedrift</code>).',
        'Alle svar: <code>Content-Language</code>, <code>Cache-Status</code>, pakking, og <code>Link</code> til neste side. En <code>Accept</code> uten noen av adressens typer er 406 <code>ikke_akseptabelt</code>. <code>traceparent</code> følges videre.',
        'Problemet <code>register_utilgjengelig</code> har <code>arsak</code> og <code>avvik</code>: hvorfor, og hva i registerets svar som ikke kunne leses.',
        'En nøkkel til testmiljøet avvises i produksjon, og omvendt: <code>nokkel_fra_annet_miljo</code>.',
        'Ny parameter: <code>felt</code> gir bare de feltene som nevnes, og hver seksjon har sin egen adresse, for eksempel <code>/api/bedrift/{orgnr}/roller</code>. Et ufullstendig svar har <code>Retry-After</code>, og et som ikke var for hånden <code>x-ko</code>.',
        'Ny adresse: <code>POST /api/bedrift/oppslag</code> svarer om inntil 500 foretak, som NDJSON, CSV eller regneark.',
        'En nøkkel for alle, til oppdiktede foretak: <code>bo_test_OppslagProve_DenneNokkelenErForAlleOgSerBareOppdiktetDat2LHkoO</code>. Svarene har <code>x-provedata</code>.',
        'Det tjenesten selv sier i et svar (<code>arsak.beskrivelse</code> og <code>hvorfor.beskrivelse</code>), er på engelsk når <code>Accept-Language</code> ber om det. Dokumentet har med 500 der det kan skje, og grensene for det som sendes.',
        'En egen testnøkkel fås på e-post: skjemaet står på <code>/dokumentasjon/sandkasse</code>. Svar om mange foretak pakkes for den som ber om det (<code>Accept-Encoding</code>).',
        'En egen testnøkkel kan avsluttes alene, på <code>/dokumentasjon/sandkasse/avslutt</code>.',
        'Flere nøkler på samme kjøp, hver med sitt navn: de lages og avsluttes én for én på <code>/nokler</code>.',
        'Ny adresse: <code>POST /mcp</code> for agenter (Model Context Protocol).',
        'Ny seksjon: <code>konsern</code>, konsernet slik Enhetsregisteret har det, og der aksjene sier noe annet. Hele konsernet står på <code>/api/bedrift/{orgnr}/konsern</code>.',
        'Ny seksjon: <code>underenheter</code>, antallet og de ti største. Alle står side for side på <code>/api/bedrift/{orgnr}/underenheter</code>.',
        'Ny adresse: <code>/api/avstemming</code> for OpenRefine (Reconciliation Service API 0.2), som også foreslår typer og kolonner og viser et foretak der det velges.',
        'Nye adresser: <code>POST /api/bedrift/bestillinger</code> tar imot inntil 100 000 numre; resultatet hentes når listen er gått gjennom.',
        'Ny seksjon: <code>rollerIAndreForetak</code>, hva foretaket selv er i andre: revisor, regnskapsfører, deltaker. Alle står side for side på <code>/api/bedrift/{orgnr}/rollerIAndreForetak</code>.',
        'Ny seksjon: <code>regnskapskopier</code>, årene registeret har kopi av årsregnskapet for, med lenke til hver.',
        'Nye adresser: <code>/api/overvaking</code>, foretakene en nøkkel overvåker, <code>/api/endringer</code>, det som er endret i dem, med venting om man vil, <code>/api/bedrift/{orgnr}/endringer</code> og <code>/api/bedrift/{orgnr}/historikk</code>. Nye koder: <code>ikke_overvaket</code>, <code>for_mange_overvakinger</code> og <code>for_mange_ventende</code>.',
        'Endringer kan fås på e-post, med én gang eller én gang om dagen, og foretak overvåkes på siden deres og på <code>/overvaking</code>.',
        'Et foretak som overvåkes, har <code>kilder</code>: fra når hver kilde følges, og når den som ikke er sett ennå, trolig blir det. Oppsummeringen av mange har <code>settInnen</code>.',
        'Nye adresser: <code>/api/endepunkter</code>, der endringer sendes (webhooks, Standard Webhooks), med leveringer, prøver og ny sending. Nye koder: <code>ukjent_endepunkt</code>, <code>for_mange_endepunkter</code>, <code>endepunkt_avslatt</code> og <code>for_mange_prover</code>.',
        'Der så mange som kan, venter på endringer alt, svarer <code>/api/endringer</code> straks med ingen endringer og <code>Retry-After</code>.',
      ],
      en: [
        'The promise of stability holds from now on.',
        '<code>tilstand</code> is the state of a section and nothing else. The company’s is <code>foretakstilstand</code>, the employees’ and a figure’s <code>opplysning</code>, a year of shareholders’ <code>arkivet</code>, and a register’s in <code>/status.json</code> <code>drift</code>.',
        'New names: <code>arsak.tekst</code> → <code>arsak.beskrivelse</code>; <code>sn2007.koder[].navn</code> → <code>sn2007.koder[].beskrivelse</code>; <code>kombinasjoner[].kode</code> and <code>.tekst</code> → <code>kombinasjoner[].kombinasjon.kode</code> and <code>.beskrivelse</code>; <code>erDoed</code> → <code>erDod</code>; <code>paategninger[].innfoertDato</code> → <code>paategninger[].innfortDato</code>; <code>status.data.tilstand</code> and <code>overordnetEnhet.data.tilstand</code> → <code>foretakstilstand</code>; <code>antallAnsatte.tilstand</code> and <code>nokkeltall.*.tilstand</code> → <code>opplysning</code>; <code>historikk[].tilstand</code> → <code>historikk[].arkivet</code>.',
        'A section is one of two shapes, told apart by <code>tilstand</code>: with <code>fersk</code> and <code>utdatert</code> there is <code>data</code>, with the others it is <code>null</code>.',
        'Codes stand as <code>{ kode, beskrivelse }</code>: also <code>arsak</code>, <code>sn2007.koder</code>, <code>paategninger[].infotype</code>, <code>kombinasjoner[].kombinasjon</code> and <code>foretaksformIHjemlandet</code>.',
        '<code>historiskeNavn</code> has moments by ISO 8601, with their zone.',
        '<code>innfortDato</code> and <code>erDod</code> have one name everywhere: æ is ae, ø is o, å is aa.',
        '<code>kilder</code> has <code>kildeId</code>, which does not change, and <code>adresse</code>, where the source was asked.',
        '<code>ETag</code> is weak and of the facts alone, also for shareholders, ownership and search.',
        'People have ids: <code>personId</code> for who holds a role or may sign, <code>aksjonaerId</code> for shareholders, never the same. <code>muligSammePerson</code> says who may be the same, and why.',
        'What a source sent in an unexpected shape is <code>null</code> and named in <code>avvik</code> by a JSON pointer, lists too: an empty list says that the source has none. One thing that can not be read does not cost the rest.',
        '<code>foretakstilstand</code> may be <code>tvangsavvikling_eller_tvangsopplosning</code>, a figure’s <code>opplysning</code> may be <code>ikke_lesbar</code>, and a list of roles, <code>uavklart</code>, has those of whom it could not be read whether they have left.',
        '<code>maate</code> of signature and prokura is gone: it counted persons. <code>lovensUtgangspunkt</code> and <code>kombinasjonerUtenKjentRegel</code> stand apart, and where none is registered <code>standardisert</code> is <code>null</code>.',
        'Ownership: whoever is not in the register gets 404 <code>ikke_i_aksjonaerregisteret</code>. <code>harAksjebok</code> is <code>false</code> for one who only owns; <code>oppover</code> is <code>null</code> then.',
        'Search: <code>trefftype</code> may be <code>tidligere_navn</code> and <code>annet</code>.',
        'New fields: days of registration of employees, VAT, the voluntary and the party registers, <code>underlagtLovgivningLand</code>, <code>beskrivelseBokmaal</code>, and in accounts <code>regnskapDokumenttype</code> and <code>organisasjonsform</code>.',
        'The OpenAPI document has names for shapes (<code>Bedrift</code>, <code>Rolle</code>, …), is in English as well, and operations are called by what they do (<code>hentBedrift</code>).',
        'All answers: <code>Content-Language</code>, <code>Cache-Status</code>, packing, and <code>Link</code> to the next page. An <code>Accept</code> without any of the types of an address is 406 <code>ikke_akseptabelt</code>. <code>traceparent</code> is gone on from.',
        'The problem <code>register_utilgjengelig</code> has <code>arsak</code> and <code>avvik</code>: why, and what in the register’s answer could not be read.',
        'A key to the test environment is refused in production, and the other way round: <code>nokkel_fra_annet_miljo</code>.',
        'A new parameter: <code>felt</code> gives the fields it names alone, and each section has an address of its own, such as <code>/api/bedrift/{orgnr}/roller</code>. An incomplete answer has <code>Retry-After</code>, and one that was not at hand <code>x-ko</code>.',
        'A new address: <code>POST /api/bedrift/oppslag</code> answers about up to 500 companies, as NDJSON, CSV or a workbook.',
        'A key for everybody, to invented companies: <code>bo_test_OppslagProve_DenneNokkelenErForAlleOgSerBareOppdiktetDat2LHkoO</code>. Its answers have <code>x-provedata</code>.',
        'What the service itself says in an answer (<code>arsak.beskrivelse</code> and <code>hvorfor.beskrivelse</code>) is English when <code>Accept-Language</code> asks for it. The document has 500 where it may happen, and the bounds of what is sent.',
        'A test key of one’s own comes by e-mail: the form is at <code>/dokumentasjon/sandkasse</code>. Answers about many companies are packed for who asks for it (<code>Accept-Encoding</code>).',
        'A test key of one’s own can be ended alone, on <code>/dokumentasjon/sandkasse/avslutt</code>.',
        'Several keys for one purchase, each with its name: they are made and ended one by one on <code>/nokler</code>.',
        'A new address: <code>POST /mcp</code> for agents (Model Context Protocol).',
        'A new section: <code>konsern</code>, the group as Enhetsregisteret has it, and where the shares say otherwise. The whole group is at <code>/api/bedrift/{orgnr}/konsern</code>.',
        'A new section: <code>underenheter</code>, the count and the ten largest. All are at <code>/api/bedrift/{orgnr}/underenheter</code>, page by page.',
        'A new address: <code>/api/avstemming</code> for OpenRefine (Reconciliation Service API 0.2), which also suggests types and columns, and shows a company where it is chosen.',
        'New addresses: <code>POST /api/bedrift/bestillinger</code> takes up to 100,000 numbers; the result is had when the list has been gone through.',
        'A new section: <code>rollerIAndreForetak</code>, what the company itself is in others: auditor, accountant, participant. All are at <code>/api/bedrift/{orgnr}/rollerIAndreForetak</code>, page by page.',
        'A new section: <code>regnskapskopier</code>, the years the register has a copy of the accounts of, with a link to each.',
        'New addresses: <code>/api/overvaking</code>, the companies a key watches, <code>/api/endringer</code>, what changed in them, waited for if you like, <code>/api/bedrift/{orgnr}/endringer</code> and <code>/api/bedrift/{orgnr}/historikk</code>. New codes: <code>ikke_overvaket</code>, <code>for_mange_overvakinger</code> and <code>for_mange_ventende</code>.',
        'Changes can come by mail, at once or once a day, and companies are watched on their pages and at <code>/overvaking</code>.',
        'A company that is watched has <code>kilder</code>: from when each source is followed, and when one that was not seen yet is likely to be. The summary of many has <code>settInnen</code>.',
        'New addresses: <code>/api/endepunkter</code>, where changes are sent (webhooks, Standard Webhooks), with deliveries, tests and sending again. New codes: <code>ukjent_endepunkt</code>, <code>for_mange_endepunkter</code>, <code>endepunkt_avslatt</code> and <code>for_mange_prover</code>.',
        'Where as many wait for changes as may, <code>/api/endringer</code> answers at once with no changes and <code>Retry-After</code>.',
      ],
    },
  },
]

export const taken: ReadonlySet<string> = new Set(changes.flatMap((change) => change.taken ?? []))

const titles = {
  nb: {
    title: 'Stabilitet og endringer',
    opening:
      'Hva en klient kan stole på, hva som kan komme til, hvor lenge før en brytende endring det sies fra, og hva som er endret.',
  },
  en: {
    title: 'Stability and changes',
    opening:
      'What a client can rely on, what may be added, how long before a breaking change it is told, and what was changed.',
  },
}

const promise: Record<Language, TextSection[]> = {
  nb: [
    {
      id: 'kommer-til',
      title: 'Kan komme til når som helst',
      text: [
        [
          'Adresser, parametre, headere, seksjoner og felt.',
          'Koder der skjemaet ikke har en fast liste: <code>kode</code> i en feil, <code>arsak.kode</code> og registrenes egne koder.',
        ],
        'Overse det du ikke kjenner. Skjemaene i <a class="ds-link" href="/openapi.json">OpenAPI-dokumentet</a> stenger ikke for nye felt, og en klient som gjør det, vil stoppe.',
      ],
    },
    {
      id: 'varsles',
      title: 'Varsles 30 dager før',
      text: [
        'Et nytt ord i en liste skjemaet har (<code>enum</code>), for eksempel en ny <code>tilstand</code>.',
      ],
    },
    {
      id: 'brytende',
      title: 'Brytende endringer varsles seks måneder før',
      text: [
        [
          'Et felt, en adresse eller en parameter tas bort, får et annet navn, en annen type eller en annen mening.',
          'En parameter blir påkrevd.',
          'En feil får en annen status eller en annen <code>kode</code>, eller en nøkkel sendes på en annen måte.',
        ],
        'I mellomtiden står gammelt og nytt ved siden av hverandre. Svar med det gamle har headerne <code>Deprecation</code> (RFC 9745), fra når det er foreldet, <code>Sunset</code> (RFC 8594), når det tas bort, og en <code>Link</code> hit; feltet er merket <code>deprecated</code> i OpenAPI-dokumentet.',
        'Det som ikke kan vente, er det loven eller et register krever: opplysninger som skal fjernes, fjernes straks. En opplysning som er gal, rettes uten varsel. Begge deler står her.',
      ],
    },
  ],
  en: [
    {
      id: 'kommer-til',
      title: 'May be added at any time',
      text: [
        [
          'Addresses, parameters, headers, sections and fields.',
          'Codes where the schema has no fixed list: <code>kode</code> of a problem, <code>arsak.kode</code>, and the registers’ own codes.',
        ],
        'Ignore what you do not know. The schemas of the <a class="ds-link" href="/openapi.json">OpenAPI document</a> are open for new fields, and a client that is not will break.',
      ],
    },
    {
      id: 'varsles',
      title: 'Told 30 days before',
      text: ['A new word in a list of the schema (<code>enum</code>), such as a new <code>tilstand</code>.'],
    },
    {
      id: 'brytende',
      title: 'Breaking changes are told six months before',
      text: [
        [
          'A field, an address or a parameter is taken away, or gets another name, type or meaning.',
          'A parameter becomes required.',
          'A problem gets another status or another <code>kode</code>, or a key is sent in another way.',
        ],
        'Until then old and new stand side by side. Answers with the old one have the headers <code>Deprecation</code> (RFC 9745), since when it is outdated, <code>Sunset</code> (RFC 8594), when it is taken away, and a <code>Link</code> to this page; the field is marked <code>deprecated</code> in the OpenAPI document.',
        'What can not wait is what the law or a register demands: what is to be removed is removed at once. A fact that is wrong is corrected without notice. Both are told here.',
      ],
    },
  ],
}
