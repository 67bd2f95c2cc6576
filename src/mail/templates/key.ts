import type { Miljo } from '#src/core/api-key.ts'
import type { Language } from '#src/core/language.ts'
import type { Content } from '../compose.ts'
import { type Block, copyBlock, factsBlock, noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { lostKeyHours, moment, organisationNumber } from './wording.ts'
import { write } from './write.ts'

export type KeyMail = {
  key: string
  keyId: string
  miljo: Miljo
  /** The first instant at which it is no longer valid. */
  expires: Date
  /** Bought, the next year of one that was, in place of another, or issued by an operator. */
  occasion: 'kjop' | 'fornyelse' | 'erstatning' | 'utstedt'
  order: string | null
  /** In place of one that leaked: what changes were sent to was switched off with it. */
  areEndpointsOff?: boolean
  /** In place of one that leaked: what was done to what its holder watches, the newest first. `isMore`: it is more than is counted. */
  watched?: WatchesDone | null
}

type WatchesDone = {
  newest: readonly { orgnr: string; hva: 'lagt_til' | 'endret' | 'tatt_bort'; at: Date }[]
  count: number
  isMore: boolean
}

/** The one mail with a key in it. Nobody can send it again: the service keeps a hash. */
export function keyMail(data: KeyMail, head: Letterhead): Content {
  const { key, keyId, miljo, expires, occasion, order, areEndpointsOff = false, watched = null } = data
  const call = copyBlock(`curl -H "Authorization: Bearer ${key}" ${head.publicUrl}/api/bedrift/status`)
  const isReplacement = occasion === 'erstatning'
  return write(
    {
      subject: `${isReplacement ? 'Ny nøkkel' : occasion === 'fornyelse' ? 'Nøkkelen for neste år' : 'Nøkkelen din'} til ${head.name}${order === null ? '' : ` – ordre ${order}`}`,
      norsk: {
        title: isReplacement ? 'Den nye nøkkelen din' : 'Nøkkelen din',
        blocks: [
          wordsBlock(norskOpening[occasion](head.name)),
          ...(miljo === 'test' ? [wordsBlock('Dette er en testnøkkel.')] : []),
          copyBlock(key),
          wordsBlock('Slik prøver du den:'),
          call,
          factsBlock(
            ['Gyldig til', moment(expires, 'nb')],
            ['Nøkkelens id', keyId],
            ...(order === null ? [] : [['Ordre', order] as const]),
          ),
          ...(occasion === 'fornyelse' ? [wordsBlock(norskBeside)] : []),
          wordsBlock(norskTwo[occasion === 'fornyelse' ? 'fornyelse' : 'ellers']),
          ...(isReplacement ? [wordsBlock(norskOld)] : []),
          ...(areEndpointsOff ? [wordsBlock(norskOff)] : []),
          ...doneToWatches(watched, 'nb', head),
          wordsBlock(
            'Ta vare på nøkkelen. Den kan ikke sendes på nytt, for vi har bare et avtrykk av den. Men du kan når som helst bytte den i en ny:',
          ),
          { kind: 'link', url: head.replaceUrl },
          wordsBlock(
            'Trenger flere programmer hver sin nøkkel, lager du dem selv, og avslutter én uten de andre:',
          ),
          { kind: 'link', url: head.keysUrl },
          noteBlock('Bytt den straks om andre kan ha sett den.'),
        ],
        sender: `Hilsen ${head.name}`,
      },
      english: {
        title: isReplacement ? 'Your new key' : 'Your key',
        blocks: [
          wordsBlock(englishOpening[occasion](head.name)),
          ...(miljo === 'test' ? [wordsBlock('This is a test key.')] : []),
          copyBlock(key),
          wordsBlock('Try it like this:'),
          call,
          factsBlock(
            ['Valid until', moment(expires, 'en')],
            ['Key id', keyId],
            ...(order === null ? [] : [['Order', order] as const]),
          ),
          ...(occasion === 'fornyelse' ? [wordsBlock(englishBeside)] : []),
          wordsBlock(englishTwo[occasion === 'fornyelse' ? 'fornyelse' : 'ellers']),
          ...(isReplacement ? [wordsBlock(englishOld)] : []),
          ...(areEndpointsOff ? [wordsBlock(englishOff)] : []),
          ...doneToWatches(watched, 'en', head),
          wordsBlock(
            'Keep the key safe. It cannot be sent again, since all we have is a hash of it. But you can replace it at any time:',
          ),
          { kind: 'link', url: head.replaceUrl },
          wordsBlock(
            'If several programs need a key each, you make them yourself, and end one without the others:',
          ),
          { kind: 'link', url: head.keysUrl },
          noteBlock('Replace it at once if others may have seen it.'),
        ],
        sender: `Regards, ${head.name}`,
      },
    },
    head,
  )
}

const norskOpening = {
  kjop: (name: string) => `Takk for kjøpet. Dette er nøkkelen din til ${name}:`,
  fornyelse: (name: string) =>
    `Takk for at du fortsetter. Dette er nøkkelen din til ${name} for det neste året:`,
  erstatning: (name: string) =>
    `Dette er den nye nøkkelen din til ${name}. Den gjelder like lenge som den den erstatter:`,
  utstedt: (name: string) => `Dette er en nøkkel til ${name}, laget for deg:`,
}
const englishOpening = {
  kjop: (name: string) => `Thank you for your purchase. This is your key to ${name}:`,
  fornyelse: (name: string) => `Thank you for staying. This is your key to ${name} for the next year:`,
  erstatning: (name: string) =>
    `This is your new key to ${name}. It is valid for as long as the one it replaces:`,
  utstedt: (name: string) => `This is a key to ${name}, made for you:`,
}

/** The key of the year before is an order's own, and this one another's: neither ends the other. */
const norskBeside =
  'Det nye året begynner der det gamle slutter. Nøkkelen du har fra før, virker til den utløper, og denne virker allerede: de stopper ikke hverandre. Bytt til denne når det passer.'
const englishBeside =
  'The new year begins where the old one ends. The key you have works until it expires, and this one works already: neither stops the other. Change to this one when it suits you.'

const norskTwo = {
  fornyelse:
    'Fikk du to e-poster med hver sin nye nøkkel for samme år, kan du bruke hvilken du vil. Den av de to som brukes først, er din, og den andre slutter å virke.',
  ellers:
    'Fikk du to e-poster med hver sin nøkkel, kan du bruke hvilken du vil. Den som brukes først, er din, og den andre slutter å virke.',
}
const englishTwo = {
  fornyelse:
    'If you got two mails with a new key each for the same year, use either. The first of the two that is used is yours, and the other stops working.',
  ellers:
    'If you got two mails with a key each, use either. The first one used is yours, and the other stops working.',
}

const norskOld = `Var den gamle nøkkelen mistet, virker den til du bruker den nye, men høyst i ${lostKeyHours} timer. Var den kommet på avveie, virker den ikke lenger.`
const englishOld = `If the old key was lost, it works until you use the new one, and for ${lostKeyHours} hours at most. If it had leaked, it no longer works.`

const norskOff =
  'Webhooks er slått av, for den som hadde nøkkelen, kan ha lagt til et endepunkt eller sett en hemmelighet. Logg inn med den nye nøkkelen, slett de endepunktene du ikke kjenner, bytt hemmelighet på resten og slå dem på. Det som kom i mellomtiden, kan sendes på nytt.'
const englishOff =
  'Webhooks are switched off, since whoever had the key may have added an endpoint or seen a secret. Log in with the new key, delete the endpoints you do not know, replace the secret of the others and switch them on. What came in the meantime can be sent again.'

/** What whoever had the key may have done to it: companies whose changes are told no more, or told of to nobody's use. */
function doneToWatches(watched: WatchesDone | null, language: Language, head: Letterhead): Block[] {
  if (watched === null || watched.count === 0) return []
  const { newest, count, isMore } = watched
  const said = watchesWords[language]
  return [
    wordsBlock(said.opening(count, isMore)),
    factsBlock(
      ...newest.map(
        ({ orgnr, hva, at }) =>
          [organisationNumber(orgnr), `${said.done[hva]} ${moment(at, language)}`] as const,
      ),
    ),
    ...(count > newest.length ? [wordsBlock(said.rest(newest.length))] : []),
    wordsBlock(said.mend),
    { kind: 'link', url: `${head.publicUrl}/overvaking` },
  ]
}

const watchesWords = {
  nb: {
    opening: (count: number, isMore: boolean) =>
      `Dette er gjort med foretakene du overvåker, de siste 30 dagene, av deg eller av den som hadde nøkkelen (${isMore ? 'minst ' : ''}${count} foretak):`,
    done: { lagt_til: 'lagt til', endret: 'varsling endret', tatt_bort: 'tatt bort' },
    rest: (shown: number) => `Bare de ${shown} siste er med.`,
    mend: 'Kjenner du ikke igjen noe, retter du det her, logget inn med den nye nøkkelen:',
  },
  en: {
    opening: (count: number, isMore: boolean) =>
      `This was done to the companies you watch in the last 30 days, by you or by whoever had the key (${isMore ? 'at least ' : ''}${count === 1 ? '1 company' : `${count} companies`}):`,
    done: { lagt_til: 'added', endret: 'notification changed', tatt_bort: 'taken away' },
    rest: (shown: number) => `Only the last ${shown} are shown.`,
    mend: 'If you do not recognise something, you put it right here, logged in with the new key:',
  },
}
