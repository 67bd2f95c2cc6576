import type { Content } from '../compose.ts'
import { type ChangesMail, changesMail } from './changes.ts'
import { type CreditNoteMail, creditNoteMail } from './credit-note.ts'
import { type EndpointOffMail, endpointOffMail } from './endpoint-off.ts'
import { type KeyMail, keyMail } from './key.ts'
import type { Letterhead } from './letterhead.ts'
import { type ReceiptMail, receiptMail } from './receipt.ts'
import { type ReminderMail, reminderMail } from './reminder.ts'
import { type ReplacementLinkMail, replacementLinkMail } from './replacement-link.ts'
import { type TestKeyMail, testKeyMail } from './test-key.ts'

export type { Letterhead } from './letterhead.ts'

/** Every mail there is. */
export type MailData =
  | ({ kind: 'key' } & KeyMail)
  | ({ kind: 'receipt' } & ReceiptMail)
  | ({ kind: 'credit_note' } & CreditNoteMail)
  | ({ kind: 'replacement_link' } & ReplacementLinkMail)
  | ({ kind: 'reminder' } & ReminderMail)
  | ({ kind: 'test_key' } & TestKeyMail)
  | ({ kind: 'endpoint_off' } & EndpointOffMail)
  | ({ kind: 'changes' } & ChangesMail)

/** What is written to whoever gets it. */
export function contentOf(data: MailData, head: Letterhead): Content {
  switch (data.kind) {
    case 'key':
      return keyMail(data, head)
    case 'receipt':
      return receiptMail(data, head)
    case 'credit_note':
      return creditNoteMail(data, head)
    case 'replacement_link':
      return replacementLinkMail(data, head)
    case 'reminder':
      return reminderMail(data, head)
    case 'test_key':
      return testKeyMail(data, head)
    case 'endpoint_off':
      return endpointOffMail(data, head)
    case 'changes':
      return changesMail(data, head)
  }
}
