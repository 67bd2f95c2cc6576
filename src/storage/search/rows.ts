/** What the search index holds of one unit: itself, its names, and what else it is found by. */
export type UnitRows = { company: CompanyRow; names: NameRow[]; contacts: ContactRow[] }

export type CompanyRow = {
  orgnr: number
  /** Of a sub-unit: whose it is. */
  parent: number | null
  isSubUnit: boolean
  /** null: the register's could not be read. */
  name: string | null
  form: string | null
  formText: string | null
  municipality: string | null
  municipalityName: string | null
  town: string | null
  /** The register's codes, the main one first. */
  industries: string[]
  industryText: string | null
  employees: number | null
  employeesTold: string
  state: string | null
  registered: string | null
  subUnits: number
  weight: number
}

const nameKinds = ['navn', 'tidligere', 'kortnavn', 'initialer'] as const
export type NameKind = (typeof nameKinds)[number]

export type NameRow = {
  orgnr: number
  parent: number | null
  kind: NameKind
  name: string
  /** Folded and run together. */
  key: string
  /** Folded; none of what is found by its key alone. */
  words: string[]
  weight: number
  /** Of names that begin alike, the highest first. */
  order: number
  hasCeased: boolean
  from: string | null
  until: string | null
}

export type ContactRow = {
  orgnr: number
  /** The company itself, of a sub-unit the one it belongs to: what tells a shared site from a large company's. */
  root: number
  kind: 'nettsted' | 'epost' | 'telefon'
  key: string
}
