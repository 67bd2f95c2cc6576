import type { Words } from '#src/core/language.ts'

type ProblemKind = { status: number; title: Words; detail: Words }

/**
 * Every problem a caller can meet: its stable code, its status and its words. The documentation lists this table, the
 * problem bodies are written from it, and nothing else decides a status.
 */
export const problems = {
  ugyldig_organisasjonsnummer: {
    status: 400,
    title: { nb: 'Ugyldig organisasjonsnummer', en: 'Invalid organisation number' },
    detail: {
      nb: 'Et organisasjonsnummer består av ni siffer, og det siste er et kontrollsiffer.',
      en: 'An organisation number is nine digits, the last of which is a check digit.',
    },
  },
  ugyldig_parameter: {
    status: 400,
    title: { nb: 'Ugyldig parameter', en: 'Invalid parameter' },
    detail: {
      nb: 'En parameter mangler, er ukjent, er oppgitt flere ganger eller har en verdi den ikke kan ha.',
      en: 'A parameter is missing, unknown, given more than once or has a value it can not have.',
    },
  },
  ugyldig_foresporsel: {
    status: 400,
    title: { nb: 'Ugyldig forespørsel', en: 'Invalid request' },
    detail: {
      nb: 'Forespørselen kunne ikke leses som HTTP.',
      en: 'The request could not be read as HTTP.',
    },
  },
  doble_nokler: {
    status: 400,
    title: { nb: 'Flere nøkler i samme forespørsel', en: 'More than one key in a request' },
    detail: {
      nb: 'Send nøkkelen én gang, i én Authorization-header.',
      en: 'Send the key once, in one Authorization header.',
    },
  },
  nokkel_i_adressen: {
    status: 400,
    title: { nb: 'Nøkkelen sto i adressen', en: 'The key was in the address' },
    detail: {
      nb: 'Adresser blir logget underveis. Send nøkkelen i Authorization-headeren, og bytt den hvis den har stått i en adresse.',
      en: 'Addresses are logged along the way. Send the key in the Authorization header, and replace it if it stood in an address.',
    },
  },
  mangler_nokkel: {
    status: 401,
    title: { nb: 'Nøkkel mangler', en: 'Key missing' },
    detail: {
      nb: 'Send nøkkelen som «Authorization: Bearer <nøkkel>».',
      en: 'Send the key as "Authorization: Bearer <key>".',
    },
  },
  ugyldig_nokkel: {
    status: 401,
    title: { nb: 'Ugyldig nøkkel', en: 'Invalid key' },
    detail: { nb: 'Nøkkelen er ikke gyldig her.', en: 'The key is not valid here.' },
  },
  feilskrevet_nokkel: {
    status: 401,
    title: { nb: 'Nøkkelen er feilskrevet', en: 'The key is mistyped' },
    detail: {
      nb: 'Nøkkelen har ikke riktig form eller kontrollsum. Er den kopiert i sin helhet?',
      en: 'The key does not have the right form or checksum. Was all of it copied?',
    },
  },
  nokkel_fra_annet_miljo: {
    status: 401,
    title: { nb: 'Nøkkelen er fra et annet miljø', en: 'The key is of another environment' },
    detail: {
      nb: 'En testnøkkel (bo_test_) virker bare i testmiljøet, og en nøkkel til produksjon (bo_live_) bare der.',
      en: 'A test key (bo_test_) works in the test environment alone, and a key to production (bo_live_) only there.',
    },
  },
  utlopt_nokkel: {
    status: 401,
    title: { nb: 'Nøkkelen er utløpt', en: 'The key has expired' },
    detail: { nb: 'Nøkkelens år er over.', en: "The key's year is over." },
  },
  tilbakekalt_nokkel: {
    status: 401,
    title: { nb: 'Nøkkelen er trukket tilbake', en: 'The key has been revoked' },
    detail: { nb: 'Nøkkelen er trukket tilbake.', en: 'The key has been revoked.' },
  },
  ukjent_organisasjonsnummer: {
    status: 404,
    title: { nb: 'Ukjent organisasjonsnummer', en: 'Unknown organisation number' },
    detail: {
      nb: 'Enhetsregisteret har verken en hovedenhet eller en underenhet med dette nummeret.',
      en: 'The register has neither a main unit nor a sub-unit with this number.',
    },
  },
  ukjent_adresse: {
    status: 404,
    title: { nb: 'Ukjent adresse', en: 'Unknown address' },
    detail: {
      nb: 'Her er det ingenting. Dokumentasjonen viser adressene som finnes.',
      en: 'There is nothing here. The documentation shows the addresses there are.',
    },
  },
  aar_ikke_importert: {
    status: 404,
    title: { nb: 'Året er ikke importert', en: 'The year is not imported' },
    detail: {
      nb: 'Aksjonærregisteret for dette året er ikke levert inn i tjenesten. Det sier ingenting om foretaket.',
      en: 'The shareholder register of this year has not been delivered to the service. That says nothing of the company.',
    },
  },
  ikke_i_aksjonaerregisteret: {
    status: 404,
    title: { nb: 'Ikke i aksjonærregisteret', en: 'Not in the shareholder register' },
    detail: {
      nb: 'Foretaket står ikke i aksjonærregisteret for dette året.',
      en: 'The company is not in the shareholder register of this year.',
    },
  },
  ukjent_bestilling: {
    status: 404,
    title: { nb: 'Ukjent bestilling', en: 'Unknown list' },
    detail: {
      nb: 'Nøkkelen har ingen slik bestilling. Den slettes etter sju dager, og når nøkkelen slutter.',
      en: 'The key has no such list. It is deleted after seven days, and when the key ends.',
    },
  },
  ikke_overvaket: {
    status: 404,
    title: { nb: 'Foretaket overvåkes ikke', en: 'The company is not watched' },
    detail: {
      nb: 'Nøkkelen overvåker ikke dette foretaket.',
      en: 'The key does not watch this company.',
    },
  },
  ukjent_endepunkt: {
    status: 404,
    title: { nb: 'Ukjent endepunkt', en: 'Unknown endpoint' },
    detail: {
      nb: 'Nøkkelen har ikke noe slikt endepunkt, eller endepunktet har ingen slik levering.',
      en: 'The key has no such endpoint, or the endpoint has no such delivery.',
    },
  },
  fremmed_opphav: {
    status: 403,
    title: { nb: 'Fremmed opphav', en: 'Foreign origin' },
    detail: {
      nb: 'Forespørselen ble sendt av en nettside som ikke er tjenestens (headeren Origin).',
      en: 'The request was sent by a web page that is not the service’s (the header Origin).',
    },
  },
  metode_ikke_tillatt: {
    status: 405,
    title: { nb: 'Metoden er ikke tillatt', en: 'Method not allowed' },
    detail: {
      nb: 'Adressen tar ikke imot denne metoden. Headeren Allow sier hvilke den tar.',
      en: 'The address does not take this method. The header Allow says which it takes.',
    },
  },
  ikke_akseptabelt: {
    status: 406,
    title: { nb: 'Ingen av typene klienten tar imot', en: 'None of the types the client takes' },
    detail: {
      nb: 'Adressen svarer ikke i noen av typene i Accept. Feilens typer sier hvilke den har.',
      en: 'The address does not answer in any of the types in Accept. The types it has are in typer.',
    },
  },
  tidsavbrudd: {
    status: 408,
    title: { nb: 'Forespørselen kom for sakte', en: 'The request came too slowly' },
    detail: {
      nb: 'Forespørselen var ikke ferdig sendt innen fristen.',
      en: 'The request was not complete within the deadline.',
    },
  },
  foreldet_peker: {
    status: 409,
    title: { nb: 'Listen er erstattet', en: 'The list has been replaced' },
    detail: {
      nb: 'Året, eller søkeindeksen, er lest inn på nytt siden denne siden ble bedt om. Begynn fra den første siden: sider av to utgaver er ikke én liste.',
      en: 'The year, or the search index, has been loaded anew since that page was asked for. Begin at the first page: pages of two editions are not one list.',
    },
  },
  for_mange_overvakinger: {
    status: 409,
    title: { nb: 'For mange overvåkede foretak', en: 'Too many watched companies' },
    detail: {
      nb: 'Nøkkelen overvåker så mange foretak som den kan, eller listen har ikke plass. Ingenting er endret.',
      en: 'The key watches as many companies as it may, or there is no room for the list. Nothing was changed.',
    },
  },
  for_mange_endepunkter: {
    status: 409,
    title: { nb: 'For mange endepunkter', en: 'Too many endpoints' },
    detail: {
      nb: 'Nøkkelen har så mange endepunkter som den kan. Den åpne testnøkkelen har ingen: be om en egen testnøkkel.',
      en: 'The key has as many endpoints as it may. The public test key has none: ask for a test key of your own.',
    },
  },
  endepunkt_avslatt: {
    status: 409,
    title: { nb: 'Endepunktet er slått av', en: 'The endpoint is switched off' },
    detail: {
      nb: 'Ingenting sendes dit. Slå det på med PUT, og be om det igjen.',
      en: 'Nothing is sent there. Switch it on with PUT, and ask again.',
    },
  },
  bestilling_ikke_ferdig: {
    status: 409,
    title: { nb: 'Bestillingen er ikke ferdig', en: 'The list is not done' },
    detail: {
      nb: 'Resultatet kan hentes når hele listen er gått gjennom. Spør igjen etter Retry-After.',
      en: 'The result can be had when the whole list has been gone through. Ask again after Retry-After.',
    },
  },
  brukt_idempotensnokkel: {
    status: 409,
    title: { nb: 'Idempotency-Key er brukt', en: 'Idempotency-Key has been used' },
    detail: {
      nb: 'Nøkkelen har en bestilling med denne Idempotency-Key, av en annen liste eller andre felter.',
      en: 'The key has a list under this Idempotency-Key, of other numbers or other fields.',
    },
  },
  fjernet: {
    status: 410,
    title: { nb: 'Fjernet fra registeret', en: 'Removed from the register' },
    detail: {
      nb: 'Foretaket er fjernet fra de åpne registrene av juridiske grunner, og tjenesten viser ingenting om det.',
      en: 'The company has been removed from the open registers on legal grounds, and the service shows nothing of it.',
    },
  },
  for_stor: {
    status: 413,
    title: { nb: 'Forespørselen er for stor', en: 'The request is too large' },
    detail: {
      nb: 'Tjenesten tar ikke imot innhold av denne størrelsen.',
      en: 'The service does not take content of this size.',
    },
  },
  for_lang_adresse: {
    status: 414,
    title: { nb: 'Adressen er for lang', en: 'The address is too long' },
    detail: {
      nb: 'En del av adressen er lengre enn tjenesten leser.',
      en: 'A part of the address is longer than the service reads.',
    },
  },
  ukjent_innholdstype: {
    status: 415,
    title: { nb: 'Ukjent innholdstype', en: 'Unknown content type' },
    detail: {
      nb: 'Tjenesten tar ikke imot innhold av denne typen.',
      en: 'The service does not take content of this type.',
    },
  },
  for_mange_forsok: {
    status: 429,
    title: { nb: 'For mange feil nøkler', en: 'Too many wrong keys' },
    detail: {
      nb: 'Det har nylig kommet for mange feil nøkler med denne nøkkelens id fra nettverket ditt. Vent så lenge Retry-After sier; nøkkelen er ikke kontrollert og ikke avvist.',
      en: "Too many wrong keys with this key's id came from your network lately. Wait as long as Retry-After says; the key has not been checked and not been refused.",
    },
  },
  for_mange_bestillinger: {
    status: 429,
    title: { nb: 'For mange bestillinger', en: 'Too many lists' },
    detail: {
      nb: 'Nøkkelen, eller alle nøklene i kjøpet, har så mange bestillinger som det er plass til. Slett en som er hentet, med DELETE, eller send flere numre i hver.',
      en: 'The key, or all keys of the purchase, have as many lists as there is room for. Delete one you have taken home, with DELETE, or send more numbers in each.',
    },
  },
  for_mange_prover: {
    status: 429,
    title: { nb: 'For mye sendt', en: 'Too much sent' },
    detail: {
      nb: 'Det er sendt så mange prøver, eller så mye igjen, som nøkkelen kan på en time.',
      en: 'As many tests, or as much again, were sent as the key may in an hour.',
    },
  },
  for_mange_ventende: {
    status: 429,
    title: { nb: 'For mange som venter på endringer', en: 'Too many wait for changes' },
    detail: {
      nb: 'Nøkkelen har så mange forespørsler som venter på endringer, som den kan. Spør uten vent, eller la én vente.',
      en: 'The key has as many requests waiting for changes as it may. Ask without vent, or let one wait.',
    },
  },
  for_store_headere: {
    status: 431,
    title: { nb: 'Headerne er for store', en: 'The headers are too large' },
    detail: {
      nb: 'Headerne er større enn tjenesten leser.',
      en: 'The headers are larger than the service reads.',
    },
  },
  intern_feil: {
    status: 500,
    title: { nb: 'Feil i tjenesten', en: 'Fault in the service' },
    detail: {
      nb: 'Feilen er logget. Oppgi foresporselId om du tar kontakt.',
      en: 'The fault has been logged. Give foresporselId if you get in touch.',
    },
  },
  register_utilgjengelig: {
    status: 503,
    title: { nb: 'Registeret er utilgjengelig', en: 'The register is unavailable' },
    detail: {
      nb: 'Enhetsregisteret kunne ikke nås eller svarte ikke slik det skal, og tjenesten har ingen kopi å vise.',
      en: 'The register could not be reached or did not answer as it should, and the service has no copy to show.',
    },
  },
  arkiv_utilgjengelig: {
    status: 503,
    title: { nb: 'Arkivet er utilgjengelig', en: 'The archive is unavailable' },
    detail: {
      nb: 'Tjenesten når ikke sitt eget arkiv. Prøv igjen om litt.',
      en: 'The service can not reach its own archive. Try again shortly.',
    },
  },
  for_mange_oppslag: {
    status: 503,
    title: { nb: 'For mange oppslag på vei', en: 'Too many look-ups under way' },
    detail: {
      nb: 'Oppslaget rakk ikke å komme til tur. Registeret er ikke spurt; prøv igjen.',
      en: 'The look-up did not come to its turn in time. The register was not asked; try again.',
    },
  },
  overbelastet: {
    status: 503,
    title: { nb: 'For mange nye nøkler på en gang', en: 'Too many new keys at once' },
    detail: {
      nb: 'Nøkkelen rakk ikke å bli kontrollert. Prøv igjen; den er ikke avvist.',
      en: 'The key could not be checked in time. Try again; it has not been refused.',
    },
  },
  nokkellager_utilgjengelig: {
    status: 503,
    title: { nb: 'Nøkkelen kan ikke kontrolleres nå', en: 'The key can not be checked now' },
    detail: {
      nb: 'Tjenesten når ikke sitt eget lager. Prøv igjen; nøkkelen er ikke avvist.',
      en: 'The service can not reach its own store. Try again; the key has not been refused.',
    },
  },
} as const satisfies Record<string, ProblemKind>

export type ProblemCode = keyof typeof problems
