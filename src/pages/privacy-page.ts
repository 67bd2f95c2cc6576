import { html } from 'ghtml'
import { policy } from '#config/policy.ts'
import type { Language } from '#src/core/language.ts'
import { DAY_MS, HOUR_MS } from '#src/core/units.ts'
import { organisationNumber } from '#src/mail/templates/wording.ts'
import { contactLink, type Frame, type PageContent } from './layout.ts'
import { type TextSection, textPage } from './text-page.ts'
import type { Visitor } from './visitor.ts'

const { retention } = policy.sales
/** How long things are kept is decided in the policy; this page tells it. */
const kept = {
  hashDays: retention.hashAfterMs / DAY_MS,
  addressDays: retention.addressAfterMs / DAY_MS,
  unpaidDays: retention.unpaidAddressAfterMs / DAY_MS,
  years: retention.accountingYears,
  listDays: policy.batches.keptMs / DAY_MS,
  testHours: policy.sales.testKeys.mailForMs / HOUR_MS,
}

/** Sources, purpose, legal basis, rights, and how a person asks to be hidden (GDPR articles 13 and 14). */
export function privacyPage(frame: Frame, { language }: Visitor): PageContent {
  const t = titles[language]
  const who =
    frame.seller === null
      ? t.nobody
      : html`${frame.seller.name} (${t.orgnr} ${organisationNumber(frame.seller.organisationNumber)}), ${frame.seller.address}`
  const sections = written[language](who, contactLink(frame.contact))
  return { title: t.title, description: t.opening, main: textPage(t.title, t.opening, sections) }
}

const titles = {
  nb: {
    title: 'Personvern',
    opening:
      'Hva tjenesten viser om mennesker, hvor det kommer fra, hva den lagrer om den som kjøper, og hvordan du ber om innsyn eller om å bli skjult.',
    nobody: 'den som driver tjenesten',
    orgnr: 'org.nr.',
  },
  en: {
    title: 'Privacy',
    opening:
      'What the service shows about people, where it comes from, what it keeps about buyers, and how to ask for access or to be hidden.',
    nobody: 'whoever runs the service',
    orgnr: 'org. no.',
  },
}

const written: Record<Language, (who: string, contact: string) => TextSection[]> = {
  nb: (who, contact) => [
    {
      id: 'ansvarlig',
      title: 'Hvem som er ansvarlig',
      text: [
        html`Behandlingsansvarlig er !${who}. Spørsmål, innsyn og innsigelser: !${contact}. Vi svarer uten ugrunnet opphold, og senest innen én måned.`,
      ],
    },
    {
      id: 'registrene',
      title: 'Mennesker som står i registrene',
      text: [
        'Tjenesten viser opplysninger om foretak. Noen av dem er om mennesker: de som har roller i et foretak eller kan signere for det, de som driver enkeltpersonforetak, og de som eier aksjer. Vi viser navn, rolle eller antall aksjer, og fødselsdato eller fødselsår der registeret oppgir det. En person har samme id i hele tjenesten, laget av navn og fødselsdato eller fødselsår med en hemmelighet som bare tjenesten har. Fødselsnummer hentes, lagres og vises ikke, og det kan ikke søkes etter personer.',
        'Opplysningene kommer ikke fra deg, men fra:',
        [
          'Enhetsregisteret, Foretaksregisteret og Regnskapsregisteret hos Brønnøysundregistrene: roller, signatur, prokura, regnskap og kunngjøringer.',
          'Aksjonærregisteret hos Skatteetaten: aksjonærer og antall aksjer per 31. desember, slik selskapene selv har oppgitt dem.',
        ],
        'Formålet er at den som skal handle med, arbeide i, eie eller skrive om et foretak, kan se hvem som står bak det. Grunnlaget er berettiget interesse (personvernforordningen artikkel 6 nr. 1 bokstav f): opplysningene er offentlige for at de skal kunne brukes slik, de gjelder næringsvirksomhet, og vi viser ikke mer enn det trengs for å kjenne igjen den det gjelder. Å varsle hver enkelt ville kreve en uforholdsmessig innsats, og derfor står informasjonen her (artikkel 14 nr. 5 bokstav b).',
        'For at et foretak skal kunne finnes på navnet, har vi en liste over navnene på alle foretak i Enhetsregisteret, nå og før, med nettsted og telefonnummer. Navnet på et enkeltpersonforetak er ofte navnet på den som driver det. Listen hentes fra registeret hver natt og følger endringene i det; det som fjernes der, er borte fra listen innen et minutt. Det kan ikke søkes etter fødselsdato eller roller.',
        'Opplysningene vises til den som har kjøpt en nøkkel. De overføres ikke til andre av oss, og brukes ikke til profilering, kredittvurdering eller markedsføring.',
      ],
    },
    {
      id: 'hvor-lenge',
      title: 'Hvor lenge de lagres',
      text: [
        'Svar fra registrene holdes i et mellomlager i høyst noen måneder, og fornyes når registeret melder om en endring, vanligvis innen et minutt. Aksjonærregisteret og regnskapene lagres år for år, fordi utviklingen er en del av det som vises. Det som endrer seg i et foretak noen henter eller overvåker, også hvem som kom og gikk i rollene, står i en endringslogg i 400 dager. Fjerner registeret et foretak av juridiske grunner, slettes alt vi har om det.',
      ],
    },
    {
      id: 'skjul',
      title: 'Be om å bli skjult, rettet eller slettet',
      text: [
        html`Du kan protestere mot at vi viser deg. Skriv til !${contact} med navn, fødselsår, og hvilket eller hvilke foretak det gjelder, og si gjerne hvorfor. Du trenger ikke å oppgi fødselsnummer. Har du adressesperre, trenger du ikke å begrunne det.`,
        'Blir du skjult som aksjonær, gjelder det alle år, også når registeret leses inn på nytt. Aksjene telles fortsatt med, men uten navn.',
        'Er noe feil, rettes det hos registeret det kommer fra. Da blir det riktig her også, og hos alle andre som bruker registeret.',
      ],
    },
    {
      id: 'kjopere',
      title: 'Den som kjøper en nøkkel',
      text: [
        'Vi lagrer e-postadressen du oppgir, hva du bestilte og når, at du godtok vilkårene, og referansen til betalingen. Grunnlaget er avtalen med deg (artikkel 6 nr. 1 bokstav b). Vi lagrer et avtrykk av nøkkelen, ikke nøkkelen.',
        [
          html`E-postadressen slettes ${kept.addressDays} dager etter at nøkkelen er utløpt, om den ikke fornyes, og ${kept.unpaidDays} dager etter en bestilling som ikke ble noe av.`,
          'Nettverket (IP-adressen) en bestilling kom fra, lagres til betalingen er avgjort, vanligvis noen minutter, for at ingen skal kunne fylle butikken for andre.',
          html`Avtrykket av nøkkelen slettes ${kept.hashDays} dager etter at den er utløpt.`,
          html`Lager du flere nøkler, lagrer vi navnet du gir hver, i ${kept.addressDays} dager etter at den er over, og hvilken dag den sist ble brukt.`,
          html`Bilaget, og kreditnotaen om kjøpet ble refundert, lagres i ${kept.years} år etter utløpet av året, fordi bokføringsloven krever det. E-postadressen din står ikke i dem.`,
          html`En liste med organisasjonsnumre du bestiller svar om, slettes etter ${kept.listDays} dager, og før om du tar den tilbake eller nøkkelen slutter.`,
          'Hvilke foretak du overvåker, og hva du kaller dem, lagres til du slutter å overvåke dem, og i 30 dager etter at den siste nøkkelen din slutter. Hvilke du la til, endret eller tok bort, lagres i 30 dager, så vi kan fortelle deg det om nøkkelen kommer på avveie. Ber du om e-post om endringer, sendes den til adressen nøkkelen ble sendt til, til du slutter.',
          'Adresser du gir oss for webhooks, lagres til du sletter dem, og i 30 dager etter at den siste nøkkelen din slutter. Hva som ble sendt, når, og mottakerens status, lagres i 30 dager; hva mottakeren ellers svarte, lagres ikke.',
        ],
        'Betalingen skjer hos Vipps, som er ansvarlig for sin egen behandling. Vi får vite om betalingen er godkjent, ikke hvem du er, og vi ber ikke om opplysninger fra profilen din. E-post sendes gjennom en leverandør som behandler den på våre vegne.',
      ],
    },
    {
      id: 'testnokkel',
      title: 'Den som ber om en testnøkkel',
      text: [
        html`E-postadressen lagres til testnøkkelen er sendt, vanligvis noen sekunder og høyst ${kept.testHours} time, og slettes da. I ett døgn står det igjen et avtrykk av den som bare kan regnes ut med en hemmelighet i tjenesten, og et av nettverket det ble bedt fra, for at ingen skal kunne fylle innboksen din eller bruke opp alles testnøkler. Testnøkkelen lagres ikke, heller ikke som avtrykk; avslutter du den før tiden, lagres id-en til den ville ha utløpt. Grunnlaget er at du ba om den (artikkel 6 nr. 1 bokstav b).`,
      ],
    },
    {
      id: 'logg',
      title: 'Besøk og logg',
      text: [
        'Nettsidene setter ingen informasjonskapsler før du logger inn med en nøkkel eller åpner et skjema for det. Da settes to, som bare leses av oss: én som sier at skjemaet er ditt, og én som er økten din i tolv timer. Økten lagres som et avtrykk sammen med nøkkelens id, og slettes når den er over. Sidene måler ingen besøk og henter ingenting fra andre. Loggen sier når det kom et kall, hvilken type det var, hvordan det gikk, og id-en til nøkkelen. IP-adresser, e-postadresser, nøkler og hvilke foretak du slår opp, skrives ikke i den.',
      ],
    },
    {
      id: 'rettigheter',
      title: 'Rettighetene dine',
      text: [
        html`Du kan be om innsyn, retting, sletting og begrensning, protestere mot behandlingen, og få med deg opplysningene du selv har gitt oss. Ber du om sletting, slettes e-postadressen din overalt med én gang, også i e-post vi har liggende; bilag og ordrer står så lenge loven krever, uten den, og en nøkkel du har betalt for, virker ut året uten påminnelser. Sikkerhetskopier har den til de kastes. Skriv til !${contact}. Mener du at vi tar feil, kan du klage til Datatilsynet.`,
      ],
    },
  ],
  en: (who, contact) => [
    {
      id: 'ansvarlig',
      title: 'Who is responsible',
      text: [
        html`The controller is !${who}. Questions, access and objections: !${contact}. We answer without undue delay, and within one month at the latest.`,
      ],
    },
    {
      id: 'registrene',
      title: 'People who are in the registers',
      text: [
        'The service shows information about companies. Some of it is about people: those who have roles in a company or may sign for it, those who run a sole proprietorship, and those who own shares. We show name, role or number of shares, and date or year of birth where the register gives it. A person has the same id in the whole service, made of the name and the date or year of birth with a secret that the service alone has. National identity numbers are neither fetched, kept nor shown, and one can not search for people.',
        'The information does not come from you, but from:',
        [
          'The registers at Brønnøysundregistrene: roles, signature, prokura, accounts and announcements.',
          'The shareholder register of the Norwegian Tax Administration: shareholders and their shares as of 31 December, as the companies themselves reported them.',
        ],
        'The purpose is that whoever is to trade with, work in, own or write about a company can see who is behind it. The basis is legitimate interest (GDPR article 6(1)(f)): the information is public in order to be used like this, it is about business, and we show no more than it takes to recognise whom it is about. To tell each person would take a disproportionate effort, so it is told here (article 14(5)(b)).',
        'So that a company can be found by its name, we keep a list of the names of all companies in Enhetsregisteret, now and before, with site and telephone number. The name of a sole proprietorship is often that of whoever runs it. The list is fetched from the register every night and follows its changes; what is removed there is gone from the list within a minute. Nothing is searched by date of birth or by role.',
        'It is shown to those who have bought a key. We hand it to nobody else, and do not use it for profiling, credit assessment or marketing.',
      ],
    },
    {
      id: 'hvor-lenge',
      title: 'How long it is kept',
      text: [
        'Answers of the registers are held in a cache for some months at most, and renewed when the register tells of a change, usually within a minute. The shareholder register and accounts are kept year by year, since the development is part of what is shown. What changes in a company that somebody fetches or watches, also who came and left among its roles, stands in a log of changes for 400 days. When a register removes a company on legal grounds, all we have of it is erased.',
      ],
    },
    {
      id: 'skjul',
      title: 'Ask to be hidden, corrected or erased',
      text: [
        html`You may object to our showing you. Write to !${contact} with your name, your year of birth, and which company or companies it is about, and if you like, why. You need not give your identity number. If your address is protected you need not give a reason.`,
        'Being hidden as a shareholder holds for all years, also when the register is read in again. The shares are still counted, without a name.',
        'What is wrong is corrected at the register it comes from. Then it becomes right here too, and with everybody else who uses the register.',
      ],
    },
    {
      id: 'kjopere',
      title: 'Those who buy a key',
      text: [
        'We keep the e-mail address you give, what you ordered and when, that you accepted the terms, and the reference of the payment. The basis is our contract with you (article 6(1)(b)). We keep a hash of the key, not the key.',
        [
          html`The e-mail address is erased ${kept.addressDays} days after the key has expired, unless it is renewed, and ${kept.unpaidDays} days after an order that came to nothing.`,
          'The network (IP address) an order came from is kept until its payment is decided, usually some minutes, so that nobody can fill the shop for others.',
          html`The hash of the key is erased ${kept.hashDays} days after it has expired.`,
          html`If you make several keys, we keep the name you give each for ${kept.addressDays} days after it is over, and the day it was last used.`,
          html`The voucher, and the credit note where the purchase was refunded, are kept for ${kept.years} years after the end of the year, as the bookkeeping act requires. Your e-mail address is not in them.`,
          html`A list of organisation numbers that you hand in is erased after ${kept.listDays} days, and before if you take it back or the key ends.`,
          'Which companies you watch, and what you call them, is kept until you stop watching them, and for 30 days after your last key ends. Which you added, changed or took away is kept for 30 days, so that we can tell you if your key leaks. If you ask for mails of changes, they go to the address the key was sent to, until you stop them.',
          'Addresses you give us for webhooks are stored until you delete them, and for 30 days after your last key ends. What was sent, when, and the status of the receiver are stored for 30 days; what else the receiver answered is not.',
        ],
        'You pay at Vipps, which is responsible for its own processing. We are told whether the payment was approved, not who you are, and do not ask for anything of your profile. Mail is sent by way of a provider that processes it on our behalf.',
      ],
    },
    {
      id: 'testnokkel',
      title: 'Those who ask for a test key',
      text: [
        html`The e-mail address is kept until the test key has been sent, usually some seconds and ${kept.testHours} hour at most, and then erased. For a day there is a hash of it that can be computed with a secret of the service alone, and one of the network it was asked from, so that nobody can fill your inbox or use up everybody’s test keys. The test key is not kept, as a hash either; if you end it before its time, its id is kept until it would have expired. The basis is that you asked for it (article 6(1)(b)).`,
      ],
    },
    {
      id: 'logg',
      title: 'Visits and logs',
      text: [
        'These pages set no cookies until you log in with a key or open a form to do so. Then there are two, read by us alone: one that says that the form is yours, and one that is your session, for twelve hours. The session is stored as a hash with the id of the key, and erased when it is over. The pages measure no visits and fetch nothing from anybody else. The log says when there was a call, of which kind, how it went, and the id of the key. IP addresses, e-mail addresses, keys and which companies you look up are not written to it.',
      ],
    },
    {
      id: 'rettigheter',
      title: 'Your rights',
      text: [
        html`You may ask for access, rectification, erasure and restriction, object to the processing, and take with you what you have given us yourself. When you ask for erasure, your e-mail address is erased everywhere at once, also from mails we have at hand; vouchers and orders stay for as long as the law requires, without it, and a key you have paid for works to its end without reminders. Backups have it until they are thrown away. Write to !${contact}. If you think that we are wrong, you may complain to Datatilsynet.`,
      ],
    },
  ],
}
