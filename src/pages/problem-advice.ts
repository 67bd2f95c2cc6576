import type { Words } from '#src/core/language.ts'
import type { ProblemCode } from '../http/problems.ts'

/** What whoever meets a problem looks at and does; `operator` where it can be ours to mend. */
export type Advice = { check: Words; act: Words; operator?: Words }

/** For every code what follows upon "what it means", which `problems` says. A code without its advice does not compile. */
export const advice: Record<ProblemCode, Advice> = {
  ugyldig_organisasjonsnummer: {
    check: {
      nb: 'Er alle ni sifrene med, uten bokstaver? Mellomrom er lov. Et fødselsnummer eller et utenlandsk nummer hører ikke hjemme her.',
      en: 'Are all nine digits there, without letters? Spaces are allowed. A national identity number or a foreign number does not belong here.',
    },
    act: {
      nb: 'Rett nummeret. Det samme nummeret gir samme svar hver gang.',
      en: 'Correct the number. The same number gets the same answer every time.',
    },
  },
  ugyldig_parameter: {
    check: {
      nb: '«detail» i svaret nevner parameteren og hva den kan være.',
      en: '"detail" in the answer names the parameter and what it can be.',
    },
    act: {
      nb: 'Rett parameteren etter dokumentasjonen. Ukjente parametere blir avvist, slik at en skrivefeil ikke gir et annet svar enn det du ba om.',
      en: 'Correct the parameter by the documentation. Unknown ones are refused, so that a typing error does not get you another answer than the one you asked for.',
    },
  },
  ugyldig_foresporsel: {
    check: {
      nb: 'Sender klienten, eller noe mellom den og oss, gyldig HTTP/1.1?',
      en: 'Does the client, or something between it and us, send valid HTTP/1.1?',
    },
    act: {
      nb: 'Prøv det samme med curl. Virker det der, er feilen i klienten.',
      en: 'Try the same with curl. If it works there, the fault is in the client.',
    },
  },
  doble_nokler: {
    check: {
      nb: 'Legger både koden din og en mellomtjener til en Authorization-header?',
      en: 'Do both your code and a proxy add an Authorization header?',
    },
    act: { nb: 'Send den ett sted fra.', en: 'Send it from one place.' },
  },
  nokkel_i_adressen: {
    check: {
      nb: 'Hvor har adressen vært: nettleserens historikk, logger, et regneark?',
      en: "Where has the address been: a browser's history, logs, a spreadsheet?",
    },
    act: {
      nb: 'Flytt nøkkelen til headeren. Bytt den på /bytt-nokkel med «lekket» hvis andre kan ha sett adressen.',
      en: 'Move the key to the header. Replace it at /bytt-nokkel as "leaked" if others may have seen the address.',
    },
  },
  mangler_nokkel: {
    check: {
      nb: 'Kommer headeren frem? Mange klienter fjerner Authorization når de følger en videresending til en annen vert.',
      en: 'Does the header arrive? Many clients drop Authorization when they follow a redirect to another host.',
    },
    act: {
      nb: 'Send nøkkelen med hver forespørsel. En nøkkel kjøpes på /kjop.',
      en: 'Send the key with every request. A key is bought at /kjop.',
    },
  },
  ugyldig_nokkel: {
    check: {
      nb: 'Er nøkkelen byttet? Da virker bare den nyeste.',
      en: 'Was the key replaced? Then only the newest works.',
    },
    act: {
      nb: 'Bruk nøkkelen fra den nyeste e-posten, eller be om en ny på /bytt-nokkel.',
      en: 'Use the key of the newest mail, or ask for a new one at /bytt-nokkel.',
    },
    operator: {
      nb: '`oppslag kunde vis <nøkkel-id>` viser kjedens nøkler og hvem som byttet dem.',
      en: '`oppslag kunde vis <key id>` shows the keys of the chain and who replaced them.',
    },
  },
  feilskrevet_nokkel: {
    check: {
      nb: 'Er hele nøkkelen med, uten linjeskift, anførselstegn eller mellomrom?',
      en: 'Is all of the key there, without line breaks, quotation marks or spaces?',
    },
    act: {
      nb: 'Kopier den på nytt fra e-posten. Kontrollsummen sier at den er skrevet feil, ikke at den er ugyldig.',
      en: 'Copy it again from the mail. The checksum says that it is mistyped, not that it is invalid.',
    },
  },
  nokkel_fra_annet_miljo: {
    check: {
      nb: 'Begynner nøkkelen med bo_test_ eller bo_live_, og hvilket miljø er adressen til?',
      en: 'Does the key begin with bo_test_ or bo_live_, and which environment is the address of?',
    },
    act: {
      nb: 'Bruk nøkkelen som hører til miljøet, eller adressen som hører til nøkkelen. Nøkkelen er ikke slått opp.',
      en: 'Use the key of the environment, or the address of the key. The key was not looked up.',
    },
    operator: {
      nb: '`MILJO` sier hva slags nøkler denne tjenesten slipper inn og lager.',
      en: '`MILJO` says which kind of keys this service lets in and makes.',
    },
  },
  utlopt_nokkel: {
    check: {
      nb: 'E-postene 30, 7 og 1 dag før utløp, og headeren x-nokkel-dager-igjen, sa når.',
      en: 'The mails 30, 7 and 1 days before, and the header x-nokkel-dager-igjen, told when.',
    },
    act: {
      nb: 'Forny med lenken i e-posten, eller kjøp en ny på /kjop.',
      en: 'Renew by the link in the mail, or buy a new one at /kjop.',
    },
  },
  tilbakekalt_nokkel: {
    check: {
      nb: 'Har noen hos dere meldt nøkkelen som lekket?',
      en: 'Did anybody of yours report the key as leaked?',
    },
    act: {
      nb: 'Bruk nøkkelen som kom i stedet. Har ingen byttet den, ta kontakt.',
      en: 'Use the key that came in its place. If nobody replaced it, get in touch.',
    },
    operator: {
      nb: '`oppslag kunde vis <nøkkel-id>`: hvem som trakk den tilbake, og hvorfor.',
      en: '`oppslag kunde vis <key id>`: who revoked it, and why.',
    },
  },
  ukjent_organisasjonsnummer: {
    check: {
      nb: 'Er foretaket registrert i dag? Et nytt foretak finnes her senest fem minutter etter at registeret viser det.',
      en: 'Was the company registered today? A new one is found here at most five minutes after the register shows it.',
    },
    act: {
      nb: 'Søk på navnet: /api/bedrift/sok?q=…',
      en: 'Search for its name: /api/bedrift/sok?q=…',
    },
    operator: {
      nb: 'Gjelder det mange kjente foretak på en gang, er det kilden som svikter: det vises på oversikten, og ingenting slettes.',
      en: 'When it is many known companies at once, the source is at fault: the overview shows it, and nothing is deleted.',
    },
  },
  ukjent_adresse: {
    check: { nb: 'Er adressen skrevet som i dokumentasjonen?', en: 'Is it written as in the documentation?' },
    act: { nb: 'Finn adressen i /dokumentasjon.', en: 'Find the address in /dokumentasjon.' },
  },
  aar_ikke_importert: {
    check: {
      nb: '«historikk» i oppslaget viser hvilke år som finnes.',
      en: '"historikk" in the record shows which years there are.',
    },
    act: { nb: 'Spør om et av dem.', en: 'Ask for one of those.' },
    operator: {
      nb: '`oppslag import vis` viser årene. config/shareholders.md sier hvordan et år bestilles og importeres.',
      en: '`oppslag import vis` shows the years. config/shareholders.md says how one is ordered and imported.',
    },
  },
  ikke_i_aksjonaerregisteret: {
    check: {
      nb: 'Er foretaket et aksjeselskap, og var det det 31. desember det året? Bare de leverer aksjonæroppgave.',
      en: 'Is it a limited company, and was it one on 31 December of that year? Only those file.',
    },
    act: {
      nb: 'Prøv et annet år. At foretaket mangler, betyr ikke at ingen eier det.',
      en: 'Try another year. That the company is missing does not mean that nobody owns it.',
    },
  },
  fremmed_opphav: {
    check: {
      nb: 'Blir /mcp spurt fra en nettleser? Der kan en fremmed side spørre i noens navn.',
      en: 'Is /mcp asked from a browser? A stranger’s page can ask there in somebody’s name.',
    },
    act: {
      nb: 'Spør fra et program eller en tjener, uten Origin.',
      en: 'Ask from a program or a server, without Origin.',
    },
  },
  metode_ikke_tillatt: {
    check: { nb: 'Headeren Allow sier hva som er lov.', en: 'The header Allow says what is allowed.' },
    act: { nb: 'Bruk en av metodene der.', en: 'Use one of the methods there.' },
  },
  ikke_akseptabelt: {
    check: { nb: 'Hva sender klienten i Accept?', en: 'What does the client send in Accept?' },
    act: {
      nb: 'Send Accept: application/json, eller la headeren være.',
      en: 'Send Accept: application/json, or leave the header out.',
    },
  },
  tidsavbrudd: {
    check: {
      nb: 'Er linjen treg, eller åpner klienten forbindelser uten å sende på dem?',
      en: 'Is the line slow, or does the client open connections without sending on them?',
    },
    act: { nb: 'Send på nytt, på en ny forbindelse.', en: 'Send again, on a new connection.' },
    operator: {
      nb: 'Mange på en gang er noen som holder forbindelser åpne: de lukkes av seg selv, og lesere merker det ikke.',
      en: 'Many at once are somebody who holds connections open: they are closed by themselves, and readers do not notice.',
    },
  },
  foreldet_peker: {
    check: {
      nb: 'Bladet du fortsatt i en gammel liste?',
      en: 'Were you still turning the pages of an old list?',
    },
    act: {
      nb: 'Hent den første siden, og bruk «neste» derfra.',
      en: 'Get the first page, and use "neste" from there.',
    },
  },
  fjernet: {
    check: {
      nb: 'Registeret sier selv at foretaket er fjernet av juridiske grunner.',
      en: 'The register itself says that the company was removed on legal grounds.',
    },
    act: {
      nb: 'Slett det du har lagret om foretaket, hvis du ikke har et eget grunnlag for å beholde det. Ikke spør på nytt: svaret står.',
      en: 'Delete what you stored of the company unless you have grounds of your own to keep it. Do not ask again: the answer stands.',
    },
    operator: {
      nb: '`oppslag foretak vis <orgnr>` viser når det ble slettet hvor.',
      en: '`oppslag foretak vis <orgnr>` shows when it was erased where.',
    },
  },
  for_stor: {
    check: {
      nb: 'Sender klienten innhold med en GET?',
      en: 'Does the client send content with a GET?',
    },
    act: { nb: 'Send forespørselen uten innhold.', en: 'Send the request without content.' },
  },
  for_lang_adresse: {
    check: {
      nb: 'Er søketeksten eller nummeret limt inn med noe mer?',
      en: 'Was more than the text or the number pasted?',
    },
    act: { nb: 'Forkort den.', en: 'Shorten it.' },
  },
  ukjent_innholdstype: {
    check: { nb: 'Sender klienten innhold med en GET?', en: 'Does the client send content with a GET?' },
    act: { nb: 'Send forespørselen uten innhold.', en: 'Send the request without content.' },
  },
  for_mange_forsok: {
    check: {
      nb: 'Står en gammel eller feil nøkkel igjen i en av klientene dine? Den prøves om og om igjen.',
      en: 'Does one of your clients still have an old or wrong key? It is tried again and again.',
    },
    act: {
      nb: 'Finn klienten og gi den den nye nøkkelen. Vent så lenge Retry-After sier.',
      en: 'Find the client and give it the new key. Wait as long as Retry-After says.',
    },
    operator: {
      nb: 'Gjelder det mange, uten at de har feil: ser tjenesten alle som ett nettverk? Sett TRUST_PROXY bak en balanserer.',
      en: 'When it is many, and they did nothing wrong: does the service see all as one network? Behind a balancer, set TRUST_PROXY.',
    },
  },
  for_store_headere: {
    check: {
      nb: 'Sender klienten informasjonskapsler eller lange egne headere hit?',
      en: 'Does the client send cookies or long headers of its own here?',
    },
    act: {
      nb: 'Send bare det som trengs; 8 kB er grensen.',
      en: 'Send only what is needed; 8 kB is the limit.',
    },
  },
  intern_feil: {
    check: {
      nb: 'Skjer det igjen, eller bare for ett foretak?',
      en: 'Does it happen again, or for one company only?',
    },
    act: {
      nb: 'Prøv igjen. Ta kontakt med foresporselId hvis det gjentar seg.',
      en: 'Try again. If it goes on, get in touch with foresporselId.',
    },
    operator: {
      nb: 'Feilen står i loggen under foresporselId, med sin årsak. Kom den med en ny utgave: gå tilbake til den forrige, databasen tåler det.',
      en: 'It is in the log under foresporselId, with its cause. If it came with a release: go back to the one before, the database allows it.',
    },
  },
  register_utilgjengelig: {
    check: {
      nb: '/status viser hvordan registrene svarer.',
      en: '/status shows how the registers answer.',
    },
    act: {
      nb: 'Prøv igjen etter Retry-After. Foretak tjenesten har en kopi av, vises også nå.',
      en: 'Try again after Retry-After. Companies the service has a copy of are shown even now.',
    },
    operator: {
      nb: 'Se SourceLeftAlone i config/alerts.md. Kilden får én prøve om gangen og tas i bruk av seg selv.',
      en: 'See SourceLeftAlone in config/alerts.md. The source gets one probe at a time and is used again by itself.',
    },
  },
  arkiv_utilgjengelig: {
    check: {
      nb: 'Resten av oppslaget virker; det er eierlisten som ikke kan leses nå.',
      en: 'The rest of the record works; it is the list of owners that can not be read now.',
    },
    act: { nb: 'Prøv igjen etter Retry-After.', en: 'Try again after Retry-After.' },
    operator: {
      nb: 'PostgreSQL er borte eller for treg: /health/ready sier hva. Ingenting må startes på nytt når den er tilbake.',
      en: 'PostgreSQL is away or too slow: /health/ready says what. Nothing need be restarted when it is back.',
    },
  },
  ukjent_bestilling: {
    check: {
      nb: 'Er id-en hel (32 tegn), og er nøkkelen den samme som bestilte? En annens bestilling er som om den ikke fantes.',
      en: 'Is the id whole (32 characters), and is the key the one that ordered? Another’s list is as if it were not there.',
    },
    act: {
      nb: 'Bestill på nytt. Det som er funnet før, er oftest for hånden.',
      en: 'Hand the list in again. What was found before is mostly at hand.',
    },
    operator: {
      nb: 'Lister slettes etter sju dager, når nøkkelen slutter, og når innehaveren sletter dem.',
      en: 'Lists are deleted after seven days, when the key ends, and when the holder deletes them.',
    },
  },
  ikke_overvaket: {
    check: {
      nb: 'Er det riktig nøkkel? En liste hører til nøkkelen den ble satt opp med, og til dem som avløser den.',
      en: 'Is it the right key? A list belongs to the key it was made with, and to those that replace it.',
    },
    act: {
      nb: 'Begynn å overvåke med PUT, eller se hele listen på /api/overvaking.',
      en: 'Begin to watch with PUT, or see the whole list at /api/overvaking.',
    },
  },
  for_mange_overvakinger: {
    check: {
      nb: '«antall» i svaret sier hvor mange nøkkelen overvåker. Den kan overvåke 10 000, en egen testnøkkel 100.',
      en: '"antall" in the answer says how many the key watches. It may watch 10,000, a test key of one’s own 100.',
    },
    act: {
      nb: 'Slutt å overvåke noen (POST /api/overvaking?gjor=slutt), og send listen igjen.',
      en: 'Stop watching some (POST /api/overvaking?gjor=slutt), and send the list again.',
    },
  },
  for_mange_ventende: {
    check: {
      nb: 'Venter flere av programmene dine med samme nøkkel? Får hver sin forespørsel avbrutt, slik at den forrige blir hengende?',
      en: 'Do several of your programs wait with one key? Is each cut off, so that the one before is left hanging?',
    },
    act: {
      nb: 'La ett program vente og fordele det som kommer, eller spør uten vent så lenge Retry-After sier.',
      en: 'Let one program wait and hand on what comes, or ask without vent for as long as Retry-After says.',
    },
  },
  ukjent_endepunkt: {
    check: {
      nb: 'Er det riktig nøkkel? Endepunkter hører til nøkkelen de ble laget med, og til dem som avløser den. Leveringer tas vare på i tretti dager. De eldste endepunktene til testnøkler viker når det ikke er plass til flere av dem.',
      en: 'Is it the right key? Endpoints belong to the key they were made with, and to those that replace it. Deliveries are kept for thirty days. The oldest endpoints of test keys give way when there is room for no more of them.',
    },
    act: {
      nb: 'Se hvilke som finnes, på /api/endepunkter.',
      en: 'See which there are, at /api/endepunkter.',
    },
  },
  for_mange_endepunkter: {
    check: {
      nb: 'En nøkkel har inntil ti endepunkter, en egen testnøkkel tre. Den åpne testnøkkelen har ingen.',
      en: 'A key has up to ten endpoints, a test key of one’s own three. The public test key has none.',
    },
    act: {
      nb: 'Slett et endepunkt som ikke brukes, eller skaff en egen testnøkkel fra dokumentasjonen.',
      en: 'Delete an endpoint that is not used, or get a test key of your own from the documentation.',
    },
  },
  endepunkt_avslatt: {
    check: {
      nb: '«avslatt» i endepunktet sier når og hvorfor: eieren ville det, mottakeren svarte 410, eller ingenting ble tatt imot på 76 timer.',
      en: '"avslatt" of the endpoint says when and why: its owner wanted it, the receiver answered 410, or nothing was taken for 76 hours.',
    },
    act: {
      nb: 'Slå det på med PUT, prøv det, og be om tidsrommet du gikk glipp av.',
      en: 'Switch it on with PUT, test it, and ask for the span you missed.',
    },
  },
  for_mange_prover: {
    check: {
      nb: 'Sendes det prøver, eller igjen, fra et program som går av seg selv?',
      en: 'Are tests sent, or anything again, by a program that runs by itself?',
    },
    act: {
      nb: 'Vent så lenge Retry-After sier, eller la en oppdiktet endring i sandkassen komme av seg selv.',
      en: 'Wait as long as Retry-After says, or let an invented change of the sandbox come by itself.',
    },
  },
  bestilling_ikke_ferdig: {
    check: {
      nb: '`behandlet` og `linjer` i feilen sier hvor langt den er kommet.',
      en: '`behandlet` and `linjer` in the problem say how far it has come.',
    },
    act: {
      nb: 'Vent så lenge Retry-After sier, og spør bestillingens adresse til fremdrift er ferdig.',
      en: 'Wait as long as Retry-After says, and ask the list’s address until fremdrift is ferdig.',
    },
    operator: {
      nb: 'Står en liste stille, er ingen arbeider i gang eller køen `bestillinger` er stanset: /status og /ko.',
      en: 'When a list stands still no worker runs or the lane `bestillinger` is paused: /status and /ko.',
    },
  },
  brukt_idempotensnokkel: {
    check: {
      nb: 'Er dette en ny liste? Da skal den ha sitt eget navn.',
      en: 'Is this another list? Then it needs a name of its own.',
    },
    act: {
      nb: 'Send en ny Idempotency-Key med en ny liste, og den samme bare når du sender den samme listen igjen.',
      en: 'Send a new Idempotency-Key with a new list, and the same one only with the same list again.',
    },
    operator: {
      nb: 'Ingenting er galt her.',
      en: 'Nothing is wrong here.',
    },
  },
  for_mange_bestillinger: {
    check: {
      nb: 'Er ferdige bestillinger hentet og slettet?',
      en: 'Have lists that are done been taken home and deleted?',
    },
    act: {
      nb: 'DELETE på dem du ikke trenger. Én bestilling kan ha 100 000 numre.',
      en: 'DELETE those you do not need. One list may have 100,000 numbers.',
    },
    operator: {
      nb: 'Grensen står under batches i config/policy/record.ts.',
      en: 'The bound is under batches in config/policy/record.ts.',
    },
  },
  for_mange_oppslag: {
    check: {
      nb: 'Har denne nøkkelen svært mange oppslag på vei? De tas etter tur, og en annens nøkkel venter ikke på dem.',
      en: 'Does this key have a great many look-ups under way? They are taken in turn, and nobody else’s key waits for them.',
    },
    act: {
      nb: 'Prøv igjen etter Retry-After, og send færre på en gang. Oppslag som er holdt, svares uten å vente.',
      en: 'Try again after Retry-After, and send fewer at once. What is held is answered without waiting.',
    },
    operator: {
      nb: 'Et register er tregt, eller mange leser mye som ikke er holdt: /status sier hvilket. Flere fronter gir flere plasser.',
      en: 'A register is slow, or many read much that is not held: /status says which. More fronts have more places.',
    },
  },
  overbelastet: {
    check: {
      nb: 'Er nøkkelen ny for tjenesten, eller er den nettopp startet på nytt? Nøkler som er i bruk, merker ikke dette.',
      en: 'Is the key new to the service, or was the service just restarted? Keys that are in use do not notice this.',
    },
    act: {
      nb: 'Prøv igjen etter Retry-After. Nøkkelen er ikke avvist.',
      en: 'Try again after Retry-After. The key was not refused.',
    },
    operator: {
      nb: 'Noen prøver mange nøkler, eller mange kom etter en omstart. Flere fronter deler køen; TRUST_PROXY gjør at én ikke bruker plassen til alle.',
      en: "Somebody tries many keys, or many came after a restart. More fronts share the line; with TRUST_PROXY one caller does not use everybody's places.",
    },
  },
  nokkellager_utilgjengelig: {
    check: {
      nb: 'Nøkler som har vært i bruk det siste kvarteret, virker.',
      en: 'Keys that were in use in the last quarter of an hour work.',
    },
    act: {
      nb: 'Prøv igjen etter Retry-After. Nøkkelen er ikke avvist.',
      en: 'Try again after Retry-After. The key was not refused.',
    },
    operator: {
      nb: 'PostgreSQL er borte: /health/ready sier hva. Kjente nøkler virker i 15 minutter fra sist de ble sett etter.',
      en: 'PostgreSQL is away: /health/ready says what. Known keys work for 15 minutes after they were last checked.',
    },
  },
}
