import type { Content } from '../compose.ts'
import { noteBlock, wordsBlock } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { lostKeyHours, moment } from './wording.ts'
import { write } from './write.ts'

export type ReplacementLinkMail = {
  keyId: string
  /** Lost, or in the hands of others. */
  reason: 'tapt' | 'lekket'
  url: string
  validUntil: Date
}

/**
 * Somebody who knew the address asked for a new key. The link leads to a page with a button: mail scanners open links, and
 * opening it must change nothing.
 */
export function replacementLinkMail(data: ReplacementLinkMail, head: Letterhead): Content {
  const { keyId, reason, url, validUntil } = data
  const isLeaked = reason === 'lekket'
  return write(
    {
      subject: `Bytte av nøkkel til ${head.name}`,
      norsk: {
        title: 'Vil du bytte nøkkel?',
        blocks: [
          wordsBlock(
            isLeaked
              ? `Noen har meldt at nøkkelen ${keyId} til ${head.name} er kommet på avveie, og bedt om en ny.`
              : `Noen har meldt at nøkkelen ${keyId} til ${head.name} er mistet, og bedt om en ny.`,
          ),
          wordsBlock('Var det deg? Da går du videre her, og bekrefter på siden du kommer til:'),
          { kind: 'button', label: 'Bytt nøkkel', url, fallback: 'Eller åpne adressen:' },
          wordsBlock(
            isLeaked
              ? 'Den gamle nøkkelen slutter å virke i det du bekrefter. Den nye kommer på e-post hit.'
              : `Den nye nøkkelen kommer på e-post hit. Den gamle virker til du bruker den nye, men høyst i ${lostKeyHours} timer.`,
          ),
          noteBlock(`Lenken gjelder til ${moment(validUntil, 'nb')}.`),
          wordsBlock('Var det ikke deg, trenger du ikke å gjøre noe. Nøkkelen din virker som før.'),
        ],
        sender: `Hilsen ${head.name}`,
      },
      english: {
        title: 'Do you want to replace your key?',
        blocks: [
          wordsBlock(
            isLeaked
              ? `Somebody has reported that the key ${keyId} to ${head.name} has leaked, and asked for a new one.`
              : `Somebody has reported that the key ${keyId} to ${head.name} is lost, and asked for a new one.`,
          ),
          wordsBlock('Was it you? Then continue here, and confirm on the page you come to:'),
          { kind: 'button', label: 'Replace key', url, fallback: 'Or open this address:' },
          wordsBlock(
            isLeaked
              ? 'The old key stops working the moment you confirm. The new one comes by mail to this address.'
              : `The new key comes by mail to this address. The old one works until you use the new one, and for ${lostKeyHours} hours at most.`,
          ),
          noteBlock(`The link is valid until ${moment(validUntil, 'en')}.`),
          wordsBlock('If it was not you, there is nothing you need to do. Your key works as before.'),
        ],
        sender: `Regards, ${head.name}`,
      },
    },
    head,
  )
}
