import type { Language } from '#src/core/language.ts'

/** What the document begins with: what holds everywhere. */
export function introduction(language: Language): string {
  return text[language].join('\n')
}

const text: Record<Language, readonly string[]> = {
  nb: [
    'Ett komplett og ærlig svar om et norsk foretak, samlet fra de offentlige registrene. [In English](/openapi.json?sprak=en).',
    '',
    'Hver seksjon har en `tilstand`, og `kilder` sier hvor den kommer fra, når den er hentet og hva den gjelder for.',
    '`null` betyr at registeret ikke oppgir det; det betyr aldri null, ingen eller nei.',
    '',
    '[Hva som kan komme til, hva som varsles, og hva som er endret](/dokumentasjon/endringer).',
    '',
    'Svar med ETag har den svak, over opplysningene alene. Nettlesere på andre nettsteder slippes ikke til (ingen CORS): en',
    'nøkkel i en nettside kan leses av alle.',
    '',
    '## Feil',
    '',
    'Feil svares som `application/problem+json` (RFC 9457), på engelsk når `Accept-Language` ber om det. Hver status har sine koder i',
    'beskrivelsen; [hver kode har en side](/dokumentasjon/feil).',
    '',
    '## Eksempler',
    '',
    'Hvert kall viser i `externalDocs` til et eksempel på svaret, slik det er nå.',
  ],
  en: [
    'One complete and honest record of a Norwegian company, assembled from the public registers. [På norsk](/openapi.json?sprak=nb).',
    '',
    'Each section has a `tilstand` (state), and `kilder` says where it comes from, when it was fetched and what it is as of.',
    '`null` says that the register does not state it; it never says zero, none or no.',
    '',
    '[What may be added, what is told before, and what was changed](/dokumentasjon/endringer?lang=en).',
    '',
    'An ETag is weak and over the facts alone. Browsers on other sites are not let in (no CORS): a key in a web page can be read',
    'by everybody.',
    '',
    '## Problems',
    '',
    'Problems are answered as `application/problem+json` (RFC 9457), in English when `Accept-Language` asks for it. Each status has',
    'its codes in its description; [each code has a page](/dokumentasjon/feil?lang=en).',
    '',
    '## Examples',
    '',
    'Each call has in `externalDocs` the address of an example of its answer, as it is now.',
  ],
}
