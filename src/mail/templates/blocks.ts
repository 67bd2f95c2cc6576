/**
 * What a mail is made of. Text and HTML are written from the same blocks, so neither says what the other leaves out.
 */
export type Block =
  | { kind: 'words'; text: string }
  /** Said more quietly. */
  | { kind: 'note'; text: string }
  /** To be copied: on a line of its own, whole. */
  | { kind: 'code'; text: string }
  /** A page, named by its address. */
  | { kind: 'link'; url: string }
  /** A place to go. The address is always written out too: not every reader shows buttons. */
  | { kind: 'button'; label: string; url: string; fallback: string }
  | { kind: 'facts'; rows: readonly (readonly [name: string, value: string])[] }

/** One mail in one language. */
export type MailSide = { title: string; blocks: readonly Block[]; sender: string }

export const wordsBlock = (text: string): Block => ({ kind: 'words', text })
export const noteBlock = (text: string): Block => ({ kind: 'note', text })
export const copyBlock = (text: string): Block => ({ kind: 'code', text })
export const factsBlock = (...rows: (readonly [string, string])[]): Block => ({ kind: 'facts', rows })
