import type { Content } from '../compose.ts'
import { noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { moment, unlinked } from './wording.ts'
import { write } from './write.ts'

export type EndpointOffMail = {
  /** Each with why: it answered 410, or took nothing for 76 hours. */
  endpoints: readonly { host: string; since: Date; grunn: 'borte' | 'feilet' }[]
  /** Where they are switched on again. */
  url: string
}

/** Changes are not sent any more. The address itself is in no mail: it may hold what lets its caller in. */
export function endpointOffMail({ endpoints, url }: EndpointOffMail, head: Letterhead): Content {
  return write(
    {
      subject: `Webhooks fra ${head.name} er slått av`,
      norsk: {
        title: 'Webhooks er slått av',
        blocks: [
          ...endpoints.map(({ host, since, grunn }) =>
            wordsBlock(
              grunn === 'borte'
                ? `Endepunktet på ${unlinked(host)} svarte 410 (borte) ${moment(since, 'nb')}, og får ikke flere endringer.`
                : `Endepunktet på ${unlinked(host)} har ikke tatt imot noe på 76 timer, og får ikke flere endringer siden ${moment(since, 'nb')}.`,
            ),
          ),
          wordsBlock(
            'Når mottakeren virker igjen, slår du det på, og ber om å få sendt det som kom i mellomtiden. Endringsloggen har alt sammen uansett.',
          ),
          { kind: 'button', label: 'Se endepunktene', url, fallback: 'Eller åpne adressen:' },
          noteBlock('Var det meningen, trenger du ikke å gjøre noe.'),
        ],
        sender: `Hilsen ${head.name}`,
      },
      english: {
        title: 'Webhooks are switched off',
        blocks: [
          ...endpoints.map(({ host, since, grunn }) =>
            wordsBlock(
              grunn === 'borte'
                ? `The endpoint at ${unlinked(host)} answered 410 (gone) on ${moment(since, 'en')}, and is sent no more changes.`
                : `The endpoint at ${unlinked(host)} has taken nothing for 76 hours, and is sent no more changes since ${moment(since, 'en')}.`,
            ),
          ),
          wordsBlock(
            'When the receiver works again, switch it on, and ask for what came in the meantime. The change log has all of it in any case.',
          ),
          { kind: 'button', label: 'See the endpoints', url, fallback: 'Or open this address:' },
          noteBlock('If this was meant, there is nothing you need to do.'),
        ],
        sender: `Regards, ${head.name}`,
      },
    },
    head,
  )
}
