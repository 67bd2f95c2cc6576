/** The languages that what is ours is said in. */
export type Language = 'nb' | 'en'

/** The same in each of them. */
export type Words = Readonly<Record<Language, string>>
