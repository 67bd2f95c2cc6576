/** The three tables a delivery has a part of, and what is unique in each. */
export const TABLES = {
  aksjebok: 'leveranse, orgnr',
  aksjebok_del: 'leveranse, orgnr, del',
  eierandel: 'leveranse, eier, eid',
} as const

export type TableName = keyof typeof TABLES

export const TABLE_NAMES = Object.keys(TABLES) as TableName[]

export function isTableOfDelivery(name: string): name is TableName {
  return Object.hasOwn(TABLES, name)
}

/** The table of one delivery's part. */
export function tableOf(table: TableName, leveranse: number): string {
  return `${table}_${leveranse}`
}

/** The name of such a table. PostgreSQL reads the pattern too. */
export const DELIVERY_TABLE = /^(aksjebok|aksjebok_del|eierandel)_[0-9]+$/
