import type { Content } from '../compose.ts'
import { noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { moment } from './wording.ts'
import { write } from './write.ts'

export type ReminderMail = {
  keyId: string
  /** 0 and below: it has expired. */
  daysLeft: number
  expires: Date
  /** Where the next year is bought. */
  url: string
}

/** A key comes to its end, or has. */
export function reminderMail({ keyId, daysLeft, expires, url }: ReminderMail, head: Letterhead): Content {
  const hasExpired = daysLeft <= 0
  const norskDays = daysLeft === 1 ? 'én dag' : `${daysLeft} dager`
  const englishDays = daysLeft === 1 ? 'one day' : `${daysLeft} days`
  const fallback = { norsk: 'Eller åpne adressen:', english: 'Or open this address:' }
  return write(
    {
      subject: hasExpired
        ? `Nøkkelen din til ${head.name} er utløpt`
        : `Nøkkelen din til ${head.name} utløper om ${norskDays}`,
      norsk: {
        title: hasExpired ? 'Nøkkelen din er utløpt' : `Nøkkelen din utløper om ${norskDays}`,
        blocks: [
          wordsBlock(
            hasExpired
              ? `Nøkkelen ${keyId} til ${head.name} utløp ${moment(expires, 'nb')} og virker ikke lenger.`
              : `Nøkkelen ${keyId} til ${head.name} gjelder til ${moment(expires, 'nb')}.`,
          ),
          wordsBlock(
            hasExpired
              ? 'Vil du ha et nytt år? Du får en ny nøkkel på e-post.'
              : 'Vil du ha et år til? Det nye året begynner når det gamle slutter, så du mister ingen dager ved å være tidlig ute. Du får en ny nøkkel på e-post, og den gamle virker til den utløper.',
          ),
          { kind: 'button', label: 'Kjøp neste år', url, fallback: fallback.norsk },
          noteBlock('Vil du ikke det, trenger du ikke å gjøre noe. Det fornyes ikke av seg selv.'),
        ],
        sender: `Hilsen ${head.name}`,
      },
      english: {
        title: hasExpired ? 'Your key has expired' : `Your key expires in ${englishDays}`,
        blocks: [
          wordsBlock(
            hasExpired
              ? `The key ${keyId} to ${head.name} expired on ${moment(expires, 'en')} and no longer works.`
              : `The key ${keyId} to ${head.name} is valid until ${moment(expires, 'en')}.`,
          ),
          wordsBlock(
            hasExpired
              ? 'Would you like a new year? You get a new key by mail.'
              : 'Would you like another year? It begins when the old one ends, so you lose no days by being early. You get a new key by mail, and the old one works until it expires.',
          ),
          { kind: 'button', label: 'Buy the next year', url, fallback: fallback.english },
          noteBlock('If not, there is nothing you need to do. It is not renewed by itself.'),
        ],
        sender: `Regards, ${head.name}`,
      },
    },
    head,
  )
}
