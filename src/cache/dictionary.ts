/**
 * Text that the registers' answers are made of: their field names in the order they come, their codes and their set
 * phrases. A compressor that has read it beforehand needs less than half the bytes for an answer: on the samples' believed
 * answers 11 kB instead of 29 kB, of 69 kB text. Nothing of any company stands here.
 *
 * What was packed with one text can only be unpacked with the same text: whoever changes a character here raises the
 * cache's schema version.
 */
export const dictionary: Buffer = Buffer.from(
  [
    // Search hits, deleted units and the rarer parts of a unit.
    '{"treff":[{"organisasjonsnummer":"9","respons_klasse":"SlettetEnhet","slettedato":"20',
    '"totalt":0,"historiskeNavn":[{"navn":" AS","fraDato":"20-01-01 00:00:00","tilDato":"19-01-01 00:00:00"}]',
    '"konkurs":true,"konkursdato":"20","underAvvikling":true,"underAvviklingDato":"20',
    '"underTvangsavviklingEllerTvangsopplosning":true,"tvangsopplostPgaManglendeRegnskapDato":"20',
    '"tvangsopplostPgaManglendeRevisorDato":"20","tvangsopplostPgaMangelfulltStyreDato":"20',
    '"tvangsopplostPgaManglendeDagligLederDato":"20","tvangsavvikletPgaManglendeSlettingDato":"20',
    '"underRekonstruksjonsforhandlingDato":"20","underUtenlandskInsolvensbehandlingDato":"20',
    '"paategninger":[{"infotype":"FADR","tekst":"","innfoertDato":"20"}]',
    '"registreringsnummerIHjemlandet":"","utenlandskRegisterNavn":"","utenlandskRegisterAdresse":{"land":"Sverige","landkode":"SE"',
    '"underlagtLovgivningLand":"Danmark","underlagtLovgivningLandKode":"DK","foretaksformIHjemlandet":{"kode":"LTD","beskrivelse":"","beskrivelseBokmaal":"Privat aksjeselskap med begrenset ansvar"}',
    '"respons_klasse":"Underenhet","beliggenhetsadresse":{"land":"Norge","oppstartsdato":"20","datoEierskifte":"20","nedleggelsesdato":"20","overordnetEnhet":"9',
    '"organisasjonsform":{"kode":"BEDR","beskrivelse":"Underenhet til næringsdrivende og offentlig forvaltning"}',
    '"organisasjonsform":{"kode":"NUF","beskrivelse":"Norskregistrert utenlandsk foretak"}',
    '"organisasjonsform":{"kode":"DA","beskrivelse":"Ansvarlig selskap med delt ansvar"}',
    '"organisasjonsform":{"kode":"ANS","beskrivelse":"Ansvarlig selskap med solidarisk ansvar"}',
    '"organisasjonsform":{"kode":"SA","beskrivelse":"Samvirkeforetak"}',
    '"organisasjonsform":{"kode":"STI","beskrivelse":"Stiftelse"}',
    '"organisasjonsform":{"kode":"BRL","beskrivelse":"Borettslag"}',
    '"organisasjonsform":{"kode":"ESEK","beskrivelse":"Eierseksjonssameie"}',
    '"organisasjonsform":{"kode":"FLI","beskrivelse":"Forening/lag/innretning"}',
    '"organisasjonsform":{"kode":"ORGL","beskrivelse":"Organisasjonsledd"}',
    '"organisasjonsform":{"kode":"KBO","beskrivelse":"Konkursbo"}',
    '"organisasjonsform":{"kode":"ASA","beskrivelse":"Allmennaksjeselskap"}',
    '"frivilligMvaRegistrertBeskrivelser":["Utleier av bygg eller anlegg"],"registreringsdatoFrivilligMerverdiavgiftsregisteret":"20',
    '"registreringsdatoAntallAnsatteEnhetsregisteret":"20","registreringsdatoAntallAnsatteNAVAaregisteret":"20',
    '"registrertIFrivillighetsregisteret":true,"registreringsdatoFrivillighetsregisteret":"20","hjelpeenhetskode":{"kode":"',
    '"fravalgRevisjonDato":"20","fravalgRevisjonBeslutningsDato":"20","epostadresse":"post@","hjemmeside":"www.","telefon":"","mobil":"',
    '{"kode":"8200","beskrivelse":"Personlig næringsdrivende"}{"kode":"8500","beskrivelse":"Husholdninger"}',
    '{"kode":"7000","beskrivelse":"Ideelle organisasjoner"}{"kode":"1120","beskrivelse":"Statlig eide aksjeselskaper mv."}',
    '{"kode":"1520","beskrivelse":"Kommunalt eide aksjeselskaper mv."}{"kode":"2300","beskrivelse":"Personlige foretak"}',
    '{"kode":"68.200","beskrivelse":"Utleie og drift av egen eller leid fast eiendom"}',
    '{"kode":"41.000","beskrivelse":"Oppføring av bygninger"}{"kode":"64.210","beskrivelse":"Aktiviteten til holdingselskaper"}',
    '{"kode":"70.200","beskrivelse":"Bedriftsrådgivning og annen administrativ rådgivning"}',
    '"aktivitet":["Kjøp og salg av fast eiendom, investering i andre selskaper og annen virksomhet som står i forbindelse med dette.","Utleie av ","Drift av ","Handel med ","Konsulentvirksomhet innen "]',
    // Announcements.
    '[{"dato":"20","tittel":"Godkjente årsregnskap","kid":"20","type":"regnskap","gjelderInsolvens":false,"lenke":"https://w2.brreg.no/kunngjoring/hent_en.jsp?kid=20&sokeverdi=9&spraak=nb"}',
    '"tittel":"Konkursåpning","kid":"20","type":"konkursapning","gjelderInsolvens":true,"lenke":"https://w2.brreg.no/kunngjoring/hent_en.jsp?kid=20',
    '"tittel":"Nyregistrering""tittel":"Endring av styre","kid":"20","type":"styre""tittel":"Endring av daglig leder","type":"daglig_leder"',
    '"tittel":"Endring av revisor","type":"revisor""tittel":"Endring av forretningsadresse","type":"annet"',
    '"tittel":"Varsel om tvangsoppløsning","type":"varsel_om_tvangsopplosning""tittel":"Rettelse av kapital","type":"kapital"',
    '"tittel":"Vedtektsfestet formål","type":"formal""tittel":"Foretaksnavn","type":"navn""tittel":"Sletting","type":"sletting"',
    // Accounts.
    '[{"id":7,"journalnr":"202","regnskapstype":"KONSERN","regnskapDokumenttype":null,"virksomhet":{"organisasjonsnummer":"9","organisasjonsform":"AS","morselskap":true}',
    ',"regnskapsperiode":{"fraDato":"2022-01-01","tilDato":"2022-12-31"}"fraDato":"2023-01-01","tilDato":"2023-12-31""fraDato":"2024-01-01","tilDato":"2024-12-31""fraDato":"2025-01-01","tilDato":"2025-12-31"}',
    '"oppstillingsplan":"store","revisjon":{"ikkeRevidertAarsregnskap":true,"fravalgRevisjon":false},"regnkapsprinsipper":{"smaaForetak":false,"regnskapsregler":"forenkletAnvendelseIFRS"}"regnskapsregler":"IFRS"',
    '"loennskostnad":0,"ordinaertResultatSkattekostnad":0,"ekstraordinaerePoster":0,"skattekostnadEkstraordinaertResultat":0,"totalresultat":0',
    '"sumVarer":0,"sumFordringer":0,"sumInvesteringer":0,"sumBankinnskuddOgKontanter":0,"goodwill":0,"annenRentekostnad":0,"rentekostnadSammeKonsern":0,"salgsinntekter":0',
    '[{"id":7,"journalnr":"202","regnskapstype":"SELSKAP","virksomhet":{"organisasjonsnummer":"9","organisasjonsform":"AS","morselskap":false},"regnskapsperiode":{"fraDato":"2025-01-01","tilDato":"2025-12-31"},"valuta":"NOK","avviklingsregnskap":false,"oppstillingsplan":"smaa","revisjon":{"ikkeRevidertAarsregnskap":false,"fravalgRevisjon":true},"regnkapsprinsipper":{"smaaForetak":true,"regnskapsregler":"regnskapslovenAlminneligRegler"},"egenkapitalGjeld":{"sumEgenkapitalGjeld":0,"egenkapital":{"sumEgenkapital":0,"opptjentEgenkapital":{"sumOpptjentEgenkapital":0},"innskuttEgenkapital":{"sumInnskuttEgenkaptial":0}},"gjeldOversikt":{"sumGjeld":0,"kortsiktigGjeld":{"sumKortsiktigGjeld":0},"langsiktigGjeld":{"sumLangsiktigGjeld":0}}},"eiendeler":{"sumEiendeler":0,"omloepsmidler":{"sumOmloepsmidler":0},"anleggsmidler":{"sumAnleggsmidler":0}},"resultatregnskapResultat":{"ordinaertResultatFoerSkattekostnad":0,"aarsresultat":0,"finansresultat":{"nettoFinans":0,"finansinntekt":{"sumFinansinntekter":0},"finanskostnad":{"sumFinanskostnad":0}},"driftsresultat":{"driftsresultat":0,"driftsinntekter":{"sumDriftsinntekter":0},"driftskostnad":{"sumDriftskostnad":0}}}}',
    // Mandates.
    '"status":{"rutineStatus":{"kode":"NA","tekstforklaring":"Organisasjonsformen kan ikke behandles maskinelt."}"kombinasjonStatus":{"kode":"IK","tekstforklaring":"Ingen kombinasjon funnet."}',
    '"signeringsGrunnlag":{"kode":"SI","tekstforklaring":"Signeringsgrunnlag finnes ikke""tekstforklaring":"Regel ikke funnet.","kode":"RI"',
    '"rolle":{"kode":"POHV","tekstforklaring":"Prokura hver for seg"}"rolle":{"kode":"POFE","tekstforklaring":"Prokura i fellesskap"}"rolle":{"kode":"PROK","tekstforklaring":"Prokura"},"rolleFritekst":""',
    '"rolle":{"kode":"SIFE","tekstforklaring":"Signatur i fellesskap"}"rolle":{"kode":"SIHV","tekstforklaring":"Signatur hver for seg"}"rolle":{"kode":"INNH","tekstforklaring":"Innehaver"}"rolle":{"kode":"DAGL","tekstforklaring":"Daglig leder"}"rolle":{"kode":"NEST","tekstforklaring":"Nestleder"}',
    '"signaturProkuraFritekst":"Styrets leder alene. Daglig leder og ett styremedlem i fellesskap. To styremedlemmer i fellesskap. Styrets medlemmer hver for seg. Hver for seg."',
    '{"value":{"oppslagsData":{"oppslagsTidspunkt":"2026-01-01T00:00:00","oppslagsIdent":"1"},"status":{"rutineStatus":{"kode":"OK","tekstforklaring":"Maskinelt oppslag utført uten feil."},"kombinasjonStatus":{"kode":"OK","tekstforklaring":"Kombinasjon finnes."},"regelStatus":{"kode":"RF","tekstforklaring":"Regel funnet.","regelIdent":"R00"}},"enhet":{"organisasjonsnummer":"9","navn":" AS","konkurs":"false","underAvvikling":"false","underTvangsavviklingEllerTvangsopplosning":"false"},"signeringsGrunnlag":{"kode":"SF","tekstforklaring":"Signeringsgrunnlag finnes","signaturProkuraRoller":{"signaturProkuraFritekst":"Styret i fellesskap."},"muligeSigneringsRoller":{"personRolleGrunnlag":[{"fodselsdato":"01.01.19","navn":"","rolle":{"kode":"LEDE","tekstforklaring":"Styrets leder"}},{"fodselsdato":"01.01.19","navn":"","rolle":{"kode":"MEDL","tekstforklaring":"Styremedlem"}}]}},"signeringsKombinasjon":{"kombinasjon":[{"kode":"R00","tekstforklaring":"Styret i fellesskap","kombinasjonsId":"1","personRolleKombinasjon":[{"fodselsdato":"01.01.19","navn":"","rolle":{"kode":"LEDE","tekstforklaring":"Styrets leder"}}]}]}},"avvik":[]}',
    // Roles.
    '{"type":{"kode":"OBS","beskrivelse":"Observatør"}{"type":{"kode":"BOBE","beskrivelse":"Bostyrer"}"bostyrer":{"navn":"","postadresse":{"land":"Norge"',
    '{"type":{"kode":"DELT","beskrivelse":"Deltakere"},"sistEndret":"20{"type":{"kode":"DTPR","beskrivelse":"Deltaker med delt ansvar"}"ansvarsandel":"50%"{"type":{"kode":"DTSO","beskrivelse":"Deltaker med fullt ansvar"}',
    '{"type":{"kode":"KONT","beskrivelse":"Kontaktperson"}{"type":{"kode":"KOMP","beskrivelse":"Komplementar"}{"type":{"kode":"FFØR","beskrivelse":"Forretningsfører"}"fullmektige":[{"navn":"","adresse":["',
    '"valgtAv":{"kode":"AREP","beskrivelse":"Representant for de ansatte"},"fratraadt":false,"stadfestetFremtidsfullmakt":false,"begrensetRettsligHandleevne":false,"godkjenningsstatus":""',
    '{"value":{"rollegrupper":[{"type":{"kode":"INNH","beskrivelse":"Innehaver"},"sistEndret":"20","roller":[{"rekkefolge":0,"type":{"kode":"INNH","beskrivelse":"Innehaver"},"person":{"fodselsdato":"19',
    '{"value":{"rollegrupper":[{"type":{"kode":"DAGL","beskrivelse":"Daglig leder"},"sistEndret":"20","roller":[{"rekkefolge":0,"type":{"kode":"DAGL","beskrivelse":"Daglig leder"},"person":{"fodselsdato":"19","navn":{"fornavn":"","mellomnavn":"","etternavn":""},"erDoed":false},"avregistrert":false}]},{"type":{"kode":"STYR","beskrivelse":"Styre"},"sistEndret":"20","roller":[{"rekkefolge":0,"type":{"kode":"LEDE","beskrivelse":"Styrets leder"},"person":{"fodselsdato":"19","navn":{"fornavn":"","etternavn":""},"erDoed":false},"avregistrert":false},{"rekkefolge":1,"type":{"kode":"NEST","beskrivelse":"Nestleder"},"person":{"fodselsdato":"19","navn":{"fornavn":"","etternavn":""},"erDoed":false},"avregistrert":false},{"rekkefolge":2,"type":{"kode":"MEDL","beskrivelse":"Styremedlem"},"person":{"fodselsdato":"19","navn":{"fornavn":"","etternavn":""},"erDoed":false},"avregistrert":false},{"rekkefolge":3,"type":{"kode":"VARA","beskrivelse":"Varamedlem"},"person":{"fodselsdato":"19","navn":{"fornavn":"","etternavn":""},"erDoed":false},"avregistrert":false}]},{"type":{"kode":"REVI","beskrivelse":"Revisor"},"sistEndret":"20","roller":[{"rekkefolge":0,"type":{"kode":"REVI","beskrivelse":"Revisor"},"enhet":{"organisasjonsnummer":"9","organisasjonsform":{"kode":"AS","beskrivelse":"Aksjeselskap"},"navn":[" AS"],"erSlettet":false},"avregistrert":false}]},{"type":{"kode":"REGN","beskrivelse":"Regnskapsfører"},"sistEndret":"20","roller":[{"rekkefolge":0,"type":{"kode":"REGN","beskrivelse":"Regnskapsfører"},"enhet":{"organisasjonsnummer":"9","organisasjonsform":{"kode":"AS","beskrivelse":"Aksjeselskap"},"navn":[" REGNSKAP AS"],"erSlettet":false},"avregistrert":false}]}]},"avvik":[]}',
    // A sole proprietor, then a limited company: most of the register.
    '{"value":{"organisasjonsnummer":"8","navn":"","organisasjonsform":{"kode":"ENK","beskrivelse":"Enkeltpersonforetak"},"historiskeNavn":[],"registrertIMvaregisteret":false,"harRegistrertAntallAnsatte":false,"registrertIForetaksregisteret":false,"registrertIStiftelsesregisteret":false,"registrertIFrivillighetsregisteret":false,"registrertIPartiregisteret":false,"maalform":"Nynorsk","erIKonsern":false,"postadresse":{"land":"Norge","landkode":"NO","postnummer":"","poststed":"BERGEN","adresse":["Postboks "],"kommune":"BERGEN","kommunenummer":"4601"},',
    '{"value":{"organisasjonsnummer":"9","navn":" AS","organisasjonsform":{"kode":"AS","beskrivelse":"Aksjeselskap"},"historiskeNavn":[],"registrertIMvaregisteret":true,"harRegistrertAntallAnsatte":true,"registrertIForetaksregisteret":true,"registrertIStiftelsesregisteret":false,"registrertIFrivillighetsregisteret":false,"registrertIPartiregisteret":false,"konkurs":false,"underAvvikling":false,"underTvangsavviklingEllerTvangsopplosning":false,"maalform":"Bokmål","aktivitet":[""],"paategninger":[],"erIKonsern":false,"hjemmeside":"www.","forretningsadresse":{"land":"Norge","landkode":"NO","postnummer":"0","poststed":"OSLO","adresse":["veien "],"kommune":"OSLO","kommunenummer":"0301"},"registreringsdatoEnhetsregisteret":"20","registreringsdatoMerverdiavgiftsregisteret":"20","registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret":"20","registreringsdatoForetaksregisteret":"20","naeringskode1":{"kode":"","beskrivelse":""},"naeringskode2":{"kode":"","beskrivelse":""},"antallAnsatte":5,"stiftelsesdato":"20","institusjonellSektorkode":{"kode":"2100","beskrivelse":"Private aksjeselskaper mv."},"sisteInnsendteAarsregnskap":"2025","vedtektsdato":"20","vedtektsfestetFormaal":[""],"kapital":{"belop":30000,"antallAksjer":100,"type":"Aksjekapital","valuta":"NOK","innfortDato":"20","innbetalt":30000,"fulltInnbetalt":true},"respons_klasse":"Enhet"},"avvik":[]}',
  ].join('\n'),
)
